public import CaptureModel

extension CaptureMetrics {
    /// Notes how many captures are in a state that is not terminal, or are dead letters (`failed`).
    public static func queueJobs(_ state: CaptureState, _ count: Int) {
        set(MetricCatalogue.queueJobs, to: Double(count), state.rawValue)
    }

    /// Notes how many bytes of bundles are in the queue.
    public static func queueBytes(_ bytes: Int) {
        set(MetricCatalogue.queueBytes, to: Double(bytes))
    }

    /// Notes how long the oldest capture has been waiting; zero when none is.
    public static func oldestJobAge(_ age: Duration) {
        set(MetricCatalogue.oldestJobAge, to: age / .seconds(1))
    }

    /// Counts a capture that was settled; the reason says why it was rejected.
    public static func job(_ verdict: Verdict, _ reason: Reason?) {
        count(MetricCatalogue.jobs, verdict.rawValue, reason?.rawValue ?? "")
    }

    /// Counts a capture that became a dead letter, which is also its result: `failed`.
    public static func deadLetter(_ reason: Reason) {
        count(MetricCatalogue.deadLetters, reason.rawValue)
        count(MetricCatalogue.jobs, CaptureState.failed.rawValue, reason.rawValue)
    }

    /// Why a lane was put off.
    public enum RetryReason: String, Sendable, CaseIterable {
        /// The record's server is away or busy.
        case store
        /// The queue's server is away or busy.
        case queue
        /// The bundle's bytes are not there or not those that were accepted.
        case bundle
        /// A fault of the system.
        case error
    }

    /// Counts a lane that was put off after a transient fault.
    public static func retry(_ reason: RetryReason) {
        count(MetricCatalogue.retries, reason.rawValue)
    }

    /// A station of a capture's way through a worker.
    public enum Stage: String, Sendable, CaseIterable {
        /// Getting leases from the queue.
        case claim
        /// Getting the bundle's bytes.
        case fetch
        /// Digests, assertion and signature.
        case verify
        /// Photo, depth map and metadata.
        case inspect
        /// The transaction in the record.
        case settle
        /// Telling the queue.
        case acknowledge
    }

    /// Notes how long a stage took.
    public static func stage(_ stage: Stage, took duration: Duration) {
        observe(MetricCatalogue.stageSeconds, duration, stage.rawValue)
    }

    /// Notes how long a capture took from acceptance to settlement.
    public static func settlement(took duration: Duration) {
        observe(MetricCatalogue.settlementSeconds, duration)
    }

    /// Counts leases taken over from workers that went away.
    public static func leasesRecovered(_ count: Int = 1) {
        self.count(MetricCatalogue.leasesRecovered, by: count)
    }

    /// Counts leases lost before their work was settled.
    public static func leasesLost(_ count: Int = 1) {
        self.count(MetricCatalogue.leasesLost, by: count)
    }

    /// Notes how many lanes a worker has in work, of how many.
    public static func workerSlots(busy: Int, limit: Int) {
        set(MetricCatalogue.workerSlots, to: Double(busy), "busy")
        set(MetricCatalogue.workerSlots, to: Double(limit), "limit")
    }

    /// A server that the system needs.
    public enum Dependency: String, Sendable, CaseIterable {
        /// The queue.
        case redis
        /// The record.
        case postgres
        /// The bytes of the bundles.
        case bundles
    }

    /// Notes the use of a pool of connections.
    public static func pool(_ pool: Dependency, busy: Int, idle: Int, waiters: Int) {
        set(MetricCatalogue.poolConnections, to: Double(busy), pool.rawValue, "busy")
        set(MetricCatalogue.poolConnections, to: Double(idle), pool.rawValue, "idle")
        set(MetricCatalogue.poolWaiters, to: Double(waiters), pool.rawValue)
    }

    /// Notes whether a server answers.
    public static func dependency(_ dependency: Dependency, isUp: Bool) {
        set(MetricCatalogue.dependencyUp, to: isUp ? 1 : 0, dependency.rawValue)
    }
}
