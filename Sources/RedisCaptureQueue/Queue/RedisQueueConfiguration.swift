import CaptureModel

/// The limits and times of a queue in Redis.
///
/// A value that operators may choose names its setting, which has the range; the others are fixed.
package struct RedisQueueConfiguration: Sendable, Equatable {
    /// The most captures that are accepted and not settled, over all partitions (`queue.capturesMax`).
    package var capturesMax = 100_000
    /// The most captures of one device (`queue.capturesPerDeviceMax`): a device that floods fills only its own lane.
    package var capturesPerDeviceMax = 20_000
    /// The most bytes of accepted and not settled captures, over all partitions (`queue.bytesMax`).
    package var bytesMax = 4 << 30
    /// The most bytes of one device (`queue.bytesPerDeviceMax`); if its lane is empty, any one capture is accepted.
    ///
    /// Not divided among partitions: a device is in one.
    package var bytesPerDeviceMax = (4 << 30) / 10
    /// The largest photo that is accepted (`capture.photoBytesMax`): workers fetch no larger one.
    package var photoBytesMax = 10 << 20
    /// The largest depth map that is accepted, as it is uploaded (`capture.depthBytesMax`).
    package var depthBytesMax = 5 << 20
    /// The time without renewal after which another worker may take a lane over (`queue.lease`).
    package var leaseDuration: Duration = defaultLease
    /// The default of ``leaseDuration``.
    static let defaultLease: Duration = .seconds(5)
    /// How long a lease is renewed at most: a lane that is held longer was leaked by its worker.
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
    /// For how long after its settlement a bundle is recognised as a duplicate (`queue.acceptedRetention`); at least as
    /// long as ``statusRetention``.
    package var acceptedRetention: Duration = .seconds(86_400)
    /// How many lanes one function call settles at most: bounds the time that the server is busy.
    let settleLanesMax = 64
    /// How many lanes one call makes ready again at most, for the same reason.
    let promoteLanesMax = 256
    /// How often an idle worker looks again when it cannot wait on the server: paused, or several partitions.
    package var pollInterval: Duration = .milliseconds(100)
    /// The least time between two looks for each partition: with 1,024 partitions half a second.
    let pollIntervalPerPartition: Duration = .microseconds(500)
    /// The time without a sign of life after which a consumer that holds no lane is removed.
    package let consumerIdleMax: Duration = .seconds(3_600)
    /// Whether captures are in an intake ledger when they are enqueued, and must wait until lost ones are restored from
    /// it.
    package var hasLedger = false
    /// How long a restored partition keeps its mark while no gateway with a ledger looks at it or enqueues.
    ///
    /// Several times as long as the time between two looks (`intake.interval`).
    package var markLifetime: Duration = .seconds(10)

    /// The defaults.
    package init() {}
}

extension Duration {
    /// Whole milliseconds, rounded up, at least 0.
    var milliseconds: Int { max(0, begun(.milliseconds(1))) }
}
