/// The limits and times of a queue in Redis.
public struct RedisQueueConfiguration: Sendable, Equatable {
    /// The most captures that are accepted and not settled, over all partitions (1 or more).
    public var capturesMax = 100_000
    /// The most of one device (1 or more): one that floods fills its own lane and not the queue.
    public var capturesPerDeviceMax = 20_000
    /// The most bytes of theirs, over all partitions (1 or more).
    public var bytesMax = 4 << 30
    /// After what time without renewal another worker may take a lane over (100 ms to 1 h).
    public var leaseDuration: Duration = .seconds(5)
    /// How long a lease is renewed at most: what is held longer was forgotten by its worker (at least the lease).
    public var leaseAgeMax: Duration = .seconds(900)
    /// How often a capture at the head of its lane is delivered to workers that do not come back before it becomes a dead
    /// letter (1 to 100).
    public var deliveriesMax = 4
    /// How long the status of a settled capture stays in the queue; PostgreSQL keeps it for good (1 s to 30 days).
    public var statusLifetime: Duration = .seconds(3_600)
    /// For how long after it is settled a bundle that is sent again is known (1 s to 365 days).
    public var acceptedLifetime: Duration = .seconds(86_400)
    /// How many lanes one function call settles at most: what bounds the time that the server is busy (1 to 1,024).
    public var settleLanesMax = 64
    /// How many lanes one call makes ready again at most (1 to 10,000).
    public var promoteLanesMax = 256
    /// How often an idle worker looks again when it cannot wait on the server: paused, or several partitions.
    public var pollInterval: Duration = .milliseconds(100)
    /// After what time without a sign of life a consumer that holds nothing is removed.
    public var consumerIdleMax: Duration = .seconds(3_600)
    /// Whether what is enqueued stands in an intake ledger, and waits until the ledger's lost captures are back.
    public var hasLedger = false

    /// The defaults.
    public init() {}
}

extension Duration {
    /// Whole milliseconds, rounded up, at least 0.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? 0 : .max }
        return max(0, Int(scaled) + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// Whole microseconds, at least 0.
    var microseconds: Int {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? 0 : .max }
        return max(0, Int(scaled) + Int(attoseconds / 1_000_000_000_000))
    }
}
