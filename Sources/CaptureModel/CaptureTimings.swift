/// Where the time of a capture went, as the queue is told when it is settled, for its counts of latencies.
///
/// A status answer has its timings from the record.
package struct CaptureTimings: Sendable, Equatable {
    /// From accepted to claimed.
    package let queue: Duration
    /// Fetching the bytes and checking them.
    package let verify: Duration
    /// The transaction that settled it, shared with its batch.
    package let settle: Duration

    /// Memberwise.
    package init(queue: Duration, verify: Duration, settle: Duration) {
        self.queue = queue
        self.verify = verify
        self.settle = settle
    }
}
