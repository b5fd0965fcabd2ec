public import CaptureModel

/// A settled capture as PostgreSQL holds it.
public struct RecordRow: Sendable, Hashable {
    /// The capture.
    public var capture: CaptureID
    /// Whose it is and what was in it.
    public var bundle: Sending.BundleKey
    /// The device.
    public var device: DeviceID
    /// Its verdict.
    public var verdict: Sending.Verdict
    /// The counter that was read from its assertion.
    public var counter: UInt32?
    /// When it was settled, by PostgreSQL's clock.
    public var settledAt: Timestamp

    /// Memberwise.
    public init(
        capture: CaptureID, bundle: Sending.BundleKey, device: DeviceID, verdict: Sending.Verdict, counter: UInt32?,
        settledAt: Timestamp
    ) {
        self.capture = capture
        self.bundle = bundle
        self.device = device
        self.verdict = verdict
        self.counter = counter
        self.settledAt = settledAt
    }
}

/// All that is known when a run is over.
public struct Evidence: Sendable {
    /// What the phones sent and were told.
    public var entries: [Journal.Entry]
    /// Every result.
    public var rows: [RecordRow]
    /// Each device's highest accepted counter, as stored.
    public var counters: [DeviceID: UInt32]
    /// Counters that were seen to go down while the run went on.
    public var regressions: [String] = []
    /// Dead letters.
    public var dead: Set<CaptureID> = []
    /// Keys of Redis that should be gone, and numbers there that should be zero.
    public var leftoverKeys: [String] = []
    /// Rows of the ledger that wait for a result.
    public var openRows: [String] = []
    /// What was broken.
    public var faults: [Fault] = []
    /// How many captures have left files to the workers' sweeper, which removes them after `bundles.orphanAge`.
    public var orphans = 0
    /// Those among them that a worker told it had settled, and went on for long enough to remove their files.
    public var neglected: [CaptureID] = []
    /// Files that the sweeper leaves.
    public var leftoverFiles: [String] = []
    /// Ends of programs that nobody had asked for.
    public var crashes: [String] = []
    /// The most memory that each program used, in bytes.
    public var memory: [String: Int] = [:]

    /// Sets what was promised beside what is there.
    public init(entries: [Journal.Entry], rows: [RecordRow], counters: [DeviceID: UInt32]) {
        self.entries = entries
        self.rows = rows
        self.counters = counters
    }
}
