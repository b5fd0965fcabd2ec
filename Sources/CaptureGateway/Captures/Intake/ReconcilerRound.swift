import CaptureQueue

/// What is due next, as plain data.
struct ReconcilerRound {
    /// What to do.
    enum Plan: Sendable, Equatable {
        /// All is well for now.
        case nothing
        /// These partitions may have lost data.
        case restore([Int])
        /// Look through the rows after a place.
        case sweep(after: Int64)
    }

    private let configuration: IntakeReconciler.Configuration
    /// Every row up to here was seen in the queue, and is old enough that none comes before it any more.
    private var place: Int64 = 0
    private var nextSweep: ContinuousClock.Instant?
    private var nextFullSweep: ContinuousClock.Instant?

    init(_ configuration: IntakeReconciler.Configuration) {
        self.configuration = configuration
    }

    /// Decides; the first look is a full one.
    mutating func plan(broken: [Int], at now: ContinuousClock.Instant) -> Plan {
        guard broken.isEmpty else { return .restore(broken) }
        if nextFullSweep.map({ now >= $0 }) ?? true { place = 0 }
        guard nextSweep.map({ now >= $0 }) ?? true else { return .nothing }
        return .sweep(after: place)
    }

    /// Notes what was done.
    mutating func done(_ plan: Plan, _ tally: IntakePass.Tally, at now: ContinuousClock.Instant) {
        guard case .sweep(let start) = plan else { return }
        place = tally.lastPlace
        nextSweep = now + configuration.grace / 4
        if start == 0 { nextFullSweep = now + configuration.sweepInterval }
    }
}
