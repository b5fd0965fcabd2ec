import CaptureQueue
import FaultPoints
import Logging
import Waiting

/// Claims lanes for a worker's pipelines: about as many as fill one batch, once a batch is worthwhile.
struct LaneClaimer<Queue: WorkedQueue>: Sendable {
    /// When it is time for the next claim.
    let pace: ClaimPace
    private let size: ClaimSize
    private let takeOver: TakeOverPace
    private let queue: Queue
    private let wait: Duration
    private let patience: Patience
    private let refusals: RefusalLog
    private let faults: ArmedFaults

    init(
        queue: Queue, configuration: WorkerConfiguration, takeOver: TakeOverPace, patience: Patience,
        faults: ArmedFaults, logger: Logger
    ) {
        self.queue = queue
        self.takeOver = takeOver
        self.patience = patience
        self.faults = faults
        pace = ClaimPace(linger: configuration.linger)
        size = ClaimSize(configuration)
        wait = configuration.claimWait
        refusals = RefusalLog("claiming lanes", logger: logger)
    }

    /// Claims the lanes of a round; none when the worker is to stop, or the queue is away or refuses.
    func claim(in round: ClaimPace.Round) async -> [Lease] {
        let limits = size.next
        let leases = await claim(limits)
        pace.claimed(round, isFull: leases.count >= limits.lanes)
        return leases
    }

    private func claim(_ limits: ClaimSize.Limits) async -> [Lease] {
        guard !patience.stop.isOpen else { return [] }
        // A claim is never cancelled: if its answer is lost, its lanes are left to their leases. Its wait is short
        // instead, and zero while more lanes of lost workers are to be taken over.
        let wait = takeOver.isBetweenTurns ? .zero : wait
        let outcome = await patience.withQueue(.untilStop) { () async throws(QueueError) in
            try await queue.claim(lanesMax: limits.lanes, capturesPerLaneMax: limits.capturesPerLane, wait: wait)
        }
        refusals.note(outcome)
        switch outcome {
        case .done(let leases):
            if !leases.isEmpty { faults.reach(.afterClaim) }
            size.note(leases)
            return leases
        case .away: return []
        case .fault:
            await patience.stop.wait(for: patience.backoff.cap)
            return []
        }
    }
}
