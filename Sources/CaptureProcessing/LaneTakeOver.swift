import CaptureQueue
import Latch
import Logging
import Observability

/// Takes over the lanes of workers that did not come back: their leases have run out.
struct LaneTakeOver<Queue: WorkedQueue>: Sendable {
    private let queue: Queue
    private let gate: WorkGate
    private let hands: LanesInHand
    private let patience: Patience
    private let refusals: RefusalLog
    private let pace: TakeOverPace
    private let logger: Logger

    init(
        queue: Queue, gate: WorkGate, pace: TakeOverPace, hands: LanesInHand, patience: Patience, logger: Logger
    ) {
        self.queue = queue
        self.gate = gate
        self.pace = pace
        self.hands = hands
        self.patience = patience
        self.logger = logger
        refusals = RefusalLog("taking lanes over", logger: logger)
    }

    /// How long rounds are held up at first, and at the most, by waiting for those under way to end.
    private static var waits: (first: Duration, longest: Duration) { (.seconds(1), .seconds(16)) }

    /// Takes lanes as long as there are any, and has what may be worked together worked before the next.
    ///
    /// The gate is closed before the first lane is taken: from its delivery on, the capture has only itself to blame, or
    /// the few that it is worked with. It is opened now and then, so that what others sent does not wait for all that lost
    /// workers have left. Where a round does not end, as one that waits for a lock, the others go on for as long as they
    /// were held up.
    /// - Parameters:
    ///   - work: Works suspects; tells whether there is time for others.
    ///   - handBack: Gives back those that cannot be worked with what was taken before them.
    func takeLanes(
        _ work: @Sendable ([Lease]) async -> Bool, handBack: @Sendable ([Lease]) async -> Void
    ) async {
        defer { pace.isBetweenTurns = false }
        var wait = Self.waits.first
        while await areLanesLapsed() {
            if await gate.withExclusive(within: wait, { await takeSome(work, handBack) }) {
                guard pace.isBetweenTurns else { return }
                wait = Self.waits.first
            } else {
                pace.isBetweenTurns = false
                await patience.stop.wait(for: wait)
                wait = min(wait * 2, Self.waits.longest)
            }
        }
    }

    private func areLanesLapsed() async -> Bool {
        // After an outage every lease has run out, and yet their workers are there: they give their lanes back first.
        guard !patience.stop.isOpen, !patience.isQueueAway else { return false }
        let found = await patience.withQueue(.untilStop, isReading: true) { () async throws(QueueError) in
            try await queue.hasLapsedLanes()
        }
        if case .done = found { pace.noteAnswer() }
        guard case .done(true) = found else {
            refusals.note(found)
            return false
        }
        return pace.isOpen
    }

    /// Until its turn is over, or some were held in vain: the next would be, too, and another worker may fare better.
    private func takeSome(
        _ work: @Sendable ([Lease]) async -> Bool, _ handBack: @Sendable ([Lease]) async -> Void
    ) async {
        let began = ContinuousClock.now
        pace.isBetweenTurns = false
        var areMore = true
        while areMore {
            let suspects: [Lease]
            (suspects, areMore) = await takeGroup(handBack)
            guard !suspects.isEmpty, await hands.hold(suspects.count, { await work(suspects) }), areMore else { return }
            let isOver = began.duration(to: .now) >= TakeOverPace.turn
            if isOver, await gate.keepsRoundsWaiting {
                pace.isBetweenTurns = true
                return
            }
        }
    }

    /// Takes what may be worked together, none where there is nothing to take over; and whether there may be more.
    private func takeGroup(
        _ handBack: @Sendable ([Lease]) async -> Void
    ) async -> (group: [Lease], areMore: Bool) {
        var group: [Lease] = []
        while group.count < SuspectGroup.capturesMax {
            // Asking again after the last one would ask every partition.
            guard let lease = await takeOne() else { return (group, false) }
            if lease.suspicion == .slight {
                group.append(lease)
            } else if group.isEmpty {
                return ([lease], true)
            } else {
                await handBack([lease])
                break
            }
        }
        return (group, true)
    }

    private func takeOne() async -> Lease? {
        guard !patience.stop.isOpen, !patience.isQueueAway else { return nil }
        let outcome = await patience.withQueue(.untilStop) { () async throws(QueueError) in
            try await queue.takeOver()
        }
        refusals.note(outcome)
        guard case .done(let lease?) = outcome else { return nil }
        logger.notice("took over a lane", metadata: ["device_id": "\(lease.device)"])
        CaptureMetrics.lanesTakenOver()
        return lease
    }
}
