import CaptureModel

/// The limits and times of a queue in Redis.
///
/// What an operator may choose names its setting, which has the range; the rest nobody has to choose.
package struct RedisQueueConfiguration: Sendable, Equatable {
    /// The most captures that are accepted and not settled, over all partitions (`queue.capturesMax`).
    package var capturesMax = 100_000
    /// The most of one device (`queue.capturesPerDeviceMax`): one that floods fills its own lane and not the queue.
    package var capturesPerDeviceMax = 20_000
    /// The most bytes of theirs, over all partitions (`queue.bytesMax`).
    package var bytesMax = 4 << 30
    /// The most bytes of one device (`queue.bytesPerDeviceMax`); where none of its captures waits, any one is taken.
    ///
    /// Not divided among partitions: a device is in one.
    package var bytesPerDeviceMax = (4 << 30) / 10
    /// After what time without renewal another worker may take a lane over (`queue.lease`).
    package var leaseDuration: Duration = usualLease
    /// The default of ``leaseDuration``.
    static let usualLease: Duration = .seconds(5)
    /// How long a lease is renewed at most: what is held longer was forgotten by its worker.
    ///
    /// Longer than any lease, and several times as long as a worker may hold a batch during an outage
    /// (`worker.outageHold`): a lane may wait for another batch, and a server may go away more than once. Time in which
    /// renewals fail does not count.
    package var leaseAgeMax: Duration = .seconds(900)
    /// How often a capture at the head of its lane is delivered to workers that do not come back before it becomes a
    /// dead letter (`queue.deliveriesMax`).
    package var deliveriesMax = 4
    /// How long the status of a settled capture stays in the queue; PostgreSQL keeps it for good
    /// (`queue.statusRetention`).
    package var statusRetention: Duration = .seconds(3_600)
    /// For how long after it is settled a bundle that is sent again is known (`queue.acceptedRetention`).
    package var acceptedRetention: Duration = .seconds(86_400)
    /// How many lanes one function call settles at most: what bounds the time that the server is busy.
    package let settleLanesMax = 64
    /// How many lanes one call makes ready again at most, for the same reason.
    package let promoteLanesMax = 256
    /// How often an idle worker looks again when it cannot wait on the server: paused, or several partitions.
    package let pollInterval: Duration = .milliseconds(100)
    /// How much time between two looks there is for each partition at the least: with 1,024 of them half a second.
    package let pollIntervalPerPartition: Duration = .microseconds(500)
    /// After what time without a sign of life a consumer that holds nothing is removed.
    package let consumerIdleMax: Duration = .seconds(3_600)
    /// Whether what is enqueued stands in an intake ledger, and waits until the ledger's lost captures are back.
    package var hasLedger = false

    /// The defaults.
    package init() {}
}

extension Duration {
    /// Whole milliseconds, rounded up, at least 0.
    var milliseconds: Int { max(0, begun(.milliseconds(1))) }

    /// Whole microseconds, at least 0.
    var microseconds: Int { max(0, whole(.microseconds(1))) }
}
