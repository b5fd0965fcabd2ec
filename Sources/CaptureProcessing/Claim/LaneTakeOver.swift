import CaptureQueue
import Logging
import Observability
import Waiting

/// Takes over the lanes of lost workers, whose leases have run out.
struct LaneTakeOver<Queue: WorkedQueue>: Sendable {
    private let queue: Queue
    private let gate: WorkGate
    private let busyLanes: BusyLanes
    private let patience: Patience
    private let refusals: RefusalLog
    private let pace: TakeOverPace
    private let logger: Logger

    init(
        queue: Queue, gate: WorkGate, pace: TakeOverPace, busyLanes: BusyLanes, patience: Patience, logger: Logger
    ) {
        self.queue = queue
        self.gate = gate
        self.pace = pace
        self.busyLanes = busyLanes
        self.patience = patience
        self.logger = logger
        refusals = RefusalLog("taking lanes over", logger: logger)
    }

    /// How long new rounds are held up while those under way end: at first, and at the most.
    private static var waits: (first: Duration, longest: Duration) { (.seconds(1), .seconds(16)) }

    /// Takes lanes over as long as there are any, group by group: each group is worked before the next is taken.
    ///
    /// The gate is closed before the first lane is taken: after a capture is delivered, only that capture, or one of
    /// its small group, can be what ends the worker. The gate is opened now and then, so that other captures
    /// need not wait for everything that lost workers have left. If a round does not end, for example because it waits
    /// for a lock, rounds go on for as long as they were held up.
    /// - Parameters:
    ///   - work: Works suspects; returns whether there is time for more.
    ///   - handBack: Gives back lanes that cannot be worked together with the group taken before them.
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
        // After an outage every lease has run out, although the workers are alive: first they give their lanes back.
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

    /// Takes lanes until the turn is over, or a group was held in vain: another worker may fare better.
    private func takeSome(
        _ work: @Sendable ([Lease]) async -> Bool, _ handBack: @Sendable ([Lease]) async -> Void
    ) async {
        let began = pace.now()
        pace.isBetweenTurns = false
        var areMore = true
        while areMore {
            let suspects: [Lease]
            (suspects, areMore) = await takeGroup(handBack)
            guard !suspects.isEmpty, await busyLanes.hold(suspects.count, { await work(suspects) }), areMore
            else { return }
            let isOver = began.duration(to: pace.now()) >= TakeOverPace.turn
            if isOver, await gate.keepsRoundsWaiting {
                pace.isBetweenTurns = true
                return
            }
        }
    }

    /// Takes lanes that may be worked together, none if no lane has lapsed; tells whether there may be more.
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
