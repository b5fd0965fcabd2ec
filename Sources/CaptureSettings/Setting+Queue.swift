import CaptureModel
import RedisCaptureQueue

extension Setting {
    // MARK: Queue

    package static let queuePartitions = Setting(
        "queue.partitions", .integer(Keyspace.partitionsRange), "1",
        "Partitions of the queue, a power of two; the same for every program on one Redis. "
            + "Each is looked at several times a second by every worker."
    )
    package static let queueCapturesMax = Setting(
        "queue.capturesMax", .integer(1...100_000_000), "100000", "Captures that wait at the most; then 503 QUEUE_FULL."
    )
    package static let queueCapturesPerDeviceMax = Setting(
        "queue.capturesPerDeviceMax", .integer(1...100_000_000), nil,
        "Captures of one device that wait at the most; then 503 QUEUE_FULL for it. "
            + "When not set a fifth of queue.capturesMax, or half of a partition's share where that is less."
    )
    package static let queueBytesMax = Setting(
        "queue.bytesMax", .bytes((1 << 20)...(1 << 44)), "4GiB", "Bytes that wait at the most; then 503 QUEUE_FULL."
    )
    package static let queueBytesPerDeviceMax = Setting(
        "queue.bytesPerDeviceMax", .bytes((1 << 20)...(1 << 44)), nil,
        "Bytes of one device that wait at the most; then 503 QUEUE_FULL for it. "
            + "When not set a tenth of queue.bytesMax, or half of a partition's share where that is less."
    )
    package static let queueLease = Setting(
        "queue.lease", .duration(.milliseconds(500) ... .seconds(600)), "5s",
        "How long a worker may be silent before another takes its lanes over."
    )
    package static let queueDeliveriesMax = Setting(
        "queue.deliveriesMax", .integer(2...100), "4",
        "How often a capture, as the first of its lane, may take its worker down before it is a dead letter."
    )
    package static let queueStatusRetention = Setting(
        "queue.statusRetention", .duration(.seconds(1) ... .seconds(604_800)), "1h",
        "How long Redis keeps the status of a settled capture; PostgreSQL keeps the result for good."
    )
    package static let queueAcceptedRetention = Setting(
        "queue.acceptedRetention", .duration(.seconds(60) ... .seconds(2_592_000)), "24h",
        "How long a repeated upload of a settled bundle is recognised by the queue."
    )
    package static let queueDurability = Setting(
        "queue.durability", .choice(DurabilityLevel.allCases.map(\.rawValue)), DurabilityLevel.ledger.rawValue,
        "What a 202 rests on; the programs refuse servers whose settings do not keep it, and only warn at relaxed."
    )
    package static let queueReplicas = Setting(
        "queue.replicas", .integer(1...16), "1",
        "Replicas of Redis that have a capture before it is answered for, at queue.durability replicated."
    )
    package static let queueReplicaWait = Setting(
        "queue.replicaWait", .duration(.milliseconds(10) ... .seconds(60)), "1s",
        "How long they may take; then 503, and the client's next try finds its capture."
    )

    /// The settings of the queue.
    static let queue = [
        queuePartitions, queueCapturesMax, queueCapturesPerDeviceMax, queueBytesMax, queueBytesPerDeviceMax, queueLease,
        queueDeliveriesMax, queueStatusRetention, queueAcceptedRetention, queueDurability, queueReplicas,
        queueReplicaWait,
    ]
}
