import CaptureQueue

/// What is due next, as plain data.
struct ReconcilerRound {
    /// What to do.
    enum Plan: Sendable, Equatable {
        /// All is well for now.
        case nothing
        /// These partitions may have lost data.
        case restore([Int])
        /// Look through the rows after a place, and through the dead letters after another one in each partition.
        case sweep(after: Int64, deadLetters: [Int: DeadLetter.Position])

        /// What it is called in the log.
        var name: String {
            switch self {
            case .nothing: "nothing"
            case .restore: "restoration"
            case .sweep: "sweep"
            }
        }
    }

    private let configuration: IntakeReconciler.Configuration
    /// Whether the queue was seen whole: what is missing later on, it has lost since this program started.
    private(set) var wasWhole = false
    /// Every row up to here was seen in the queue, and is old enough that no upload's comes before it any more.
    ///
    /// One that an operator's discard has reinstated may, and young rows lie before those that are told because the
    /// record's clock was set back: the next full look meets them.
    ///
    /// Those of partitions that refused are passed by: they are met by a look from the first row on.
    private var place: Int64 = 0
    /// Every dead letter up to here is noted in the ledger, and had no result then: a full look begins anew.
    private var deadLetters: [Int: DeadLetter.Position] = [:]
    private var nextSweep: ContinuousClock.Instant?
    private var nextFullSweep: ContinuousClock.Instant?
    /// When the restoration that is due was first left to another gateway.
    private var restorationLeftAt: ContinuousClock.Instant?
    /// When the sweep that is due was first left to another gateway.
    private var sweepLeftAt: ContinuousClock.Instant?

    /// The partitions that refused when they were last restored or looked through.
    private(set) var refused: [Int: QueueError] = [:]
    /// The partitions that may have lost data, by the last look.
    private var broken: Set<Int> = []
    /// Whether the sweep that is due comes before the next restoration.
    private var isSweepFirst = false

    init(_ configuration: IntakeReconciler.Configuration) {
        self.configuration = configuration
    }

    /// Decides; the first look is a full one.
    ///
    /// Partitions that refuse to be restored are tried again in turn with the sweeps of the others.
    /// - Parameters:
    ///   - broken: The partitions that may have lost data.
    ///   - refusing: Those that do not say where they stand.
    mutating func plan(
        broken: [Int], refusing: [Int: QueueError] = [:], at now: ContinuousClock.Instant
    ) -> Plan {
        self.broken = Set(broken)
        refused.merge(refusing) { $1 }
        if broken.isEmpty {
            restorationLeftAt = nil
            isSweepFirst = false
            if refusing.isEmpty { wasWhole = true }
        } else {
            let isNew = broken.contains { refused[$0] == nil }
            if isNew { sweepLeftAt = nil }
            guard isSweepFirst, !isNew else { return .restore(broken) }
        }
        let isAnswering = refused.keys.contains { refusing[$0] == nil && !self.broken.contains($0) }
        let isFull = nextFullSweep.map { now >= $0 } ?? true
        if isFull { deadLetters = [:] }
        if isAnswering || isFull { place = 0 }
        guard nextSweep.map({ now >= $0 }) ?? true else { return broken.isEmpty ? .nothing : .restore(broken) }
        isSweepFirst = false
        return .sweep(after: place, deadLetters: deadLetters)
    }

    /// Whether another gateway has been at it for so long that it may have stopped.
    ///
    /// Two at once do no harm. Uploads wait for a restoration. A sweep can wait as long as a row that nobody enqueues.
    mutating func isOverdue(_ plan: Plan, at now: ContinuousClock.Instant) -> Bool {
        switch plan {
        case .nothing: return false
        case .restore:
            let since = restorationLeftAt ?? now
            restorationLeftAt = since
            return since.duration(to: now) >= configuration.othersMax
        case .sweep:
            let since = sweepLeftAt ?? now
            sweepLeftAt = since
            return since.duration(to: now) >= max(configuration.othersMax, configuration.grace)
        }
    }

    /// Notes what was done.
    mutating func done(_ plan: Plan, _ progress: IntakeWalk.Progress, at now: ContinuousClock.Instant) {
        switch plan {
        case .nothing: return
        case .restore(let partitions):
            for partition in partitions {
                refused[partition] = progress.refused[partition]
                // The position is by the clock of a server that may have been replaced.
                if refused[partition] == nil { deadLetters[partition] = nil }
            }
            restorationLeftAt = nil
            isSweepFirst = !progress.refused.isEmpty
        case .sweep(let start, _):
            place = progress.lastPlace
            deadLetters = progress.lastDeadLetters
            refused = refused.filter { broken.contains($0.key) }.merging(progress.refused) { $1 }
            sweepLeftAt = nil
            nextSweep = now + configuration.grace / 4
            if start == 0 { nextFullSweep = now + configuration.sweepInterval }
        }
    }
}
