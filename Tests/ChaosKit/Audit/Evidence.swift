package import CaptureModel

/// A settled capture as PostgreSQL holds it.
package struct RecordRow: Sendable, Hashable {
    /// The capture.
    package var capture: CaptureID
    /// Whose it is and what was in it.
    package var bundle: Sending.BundleKey
    /// The device.
    package var device: DeviceID
    /// Its verdict.
    package var verdict: Sending.Verdict
    /// The counter that was read from its assertion.
    package var counter: UInt32?
    /// When it was settled, by PostgreSQL's clock.
    package var settledAt: Timestamp
}

/// All that is known when a run is over.
package struct Evidence: Sendable {
    /// What the phones sent and were told.
    package var entries: [Journal.Entry]
    /// Every result.
    package var rows: [RecordRow]
    /// Each device's highest accepted counter, as stored.
    package var counters: [DeviceID: UInt32]
    /// Counters that were seen to go down while the run went on.
    package var regressions: [String] = []
    /// Dead letters.
    package var dead: Set<CaptureID> = []
    /// Keys of Redis that should be gone, and numbers there that should be zero.
    package var leftoverKeys: [String] = []
    /// Rows of the ledger that wait for a result.
    package var openRows: [String] = []
    /// What was broken.
    package var faults: [Fault] = []
    /// How many captures have left files to the workers' sweeper, which removes them after `bundles.orphanAge`.
    package var orphans = 0
    /// Those among them that a worker told it had settled, and went on for long enough to remove their files.
    package var neglected: [CaptureID] = []
    /// Files that the sweeper leaves.
    package var leftoverFiles: [String] = []
    /// Ends of programs that nobody had asked for.
    package var crashes: [String] = []
    /// The most memory that each program used, in bytes.
    package var memory: [String: Int] = [:]
}
