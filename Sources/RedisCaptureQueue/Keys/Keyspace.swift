package import CaptureModel
import CaptureQueue

/// The names of all keys of a queue, and which partition a device belongs to.
///
/// All keys of a partition share a hash tag, so that each function finds them in one slot of a cluster.
package struct Keyspace: Sendable, Hashable {
    /// One queue, one partition: the default.
    package static let standard = Keyspace(uncheckedQueue: "cq", partitions: 1)

    /// The group of consumers that all workers belong to, in the stream of tokens of each partition.
    static let group = "workers"

    /// The group in the same stream that tells each new token to one of the workers that wait.
    static let waitingGroup = "waiting"

    /// How many partitions there may be, each a number that is a power of two.
    ///
    /// CRC16 modulo the partitions is then the cluster slot modulo them too.
    package static let partitionsRange = 1...1024

    /// What the hash tags begin with.
    package let queue: String
    /// How many partitions there are.
    package let partitions: Int

    /// Makes a keyspace; `nil` when the name or the number is out of range.
    /// - Parameters:
    ///   - queue: 1 to 64 ASCII letters, digits, `-`, `_` or `.`; queues of different names share a server without
    ///     seeing each other.
    ///   - partitions: A power of two in ``partitionsRange``.
    /// - Returns: The keyspace, if both are in range.
    package init?(queue: String = "cq", partitions: Int = 1) {
        let isName = queue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isName, (1...64).contains(queue.utf8.count), Self.partitionsRange.contains(partitions),
            partitions.nonzeroBitCount == 1
        else { return nil }
        self.init(uncheckedQueue: queue, partitions: partitions)
    }

    private init(uncheckedQueue queue: String, partitions: Int) {
        self.queue = queue
        self.partitions = partitions
    }

    /// The partition of a device: CRC16 of the id's text in lower case, modulo the partitions.
    package func partition(of device: DeviceID) -> PartitionKeys {
        guard partitions > 1 else { return self[0] }
        return self[Int(CRC16.checksum(device.description.utf8)) % partitions]
    }

    /// The keys of a partition by its number.
    package subscript(partition: Int) -> PartitionKeys {
        PartitionKeys(number: partition, prefix: "{\(queue):\(partition)}:")
    }

    /// Every partition in order.
    package var all: [PartitionKeys] { (0..<partitions).map { self[$0] } }
}

/// The keys of one partition.
package struct PartitionKeys: Sendable, Hashable {
    /// Its number, from 0.
    package let number: Int
    /// The hash tag and a colon.
    let prefix: String

    /// The hash tag, by which messages name the partition.
    var tag: String { String(prefix.dropLast()) }

    /// The stream of tokens.
    package var ready: String { prefix + "ready" }
    /// The sorted set of lanes that are put off.
    package var delayed: String { prefix + "delayed" }
    /// The sorted set of lanes with the time since which the capture at the head waits.
    package var heads: String { prefix + "heads" }
    /// The hash of lanes with the bytes of their captures.
    package var laneBytes: String { prefix + "lane_bytes" }
    /// The sorted set of dead letters.
    package var dead: String { prefix + "dead" }
    /// The hash of counters.
    package var stats: String { prefix + "stats" }
    /// The hash of limits that the functions apply.
    package var limits: String { prefix + "limits" }
    /// The key that exists while the queue is paused.
    package var paused: String { prefix + "paused" }
    /// The hash of workers with their latest signs of life; only the first partition has one.
    package var workers: String { prefix + "workers" }
    /// The mark of the partition's restoration.
    var restored: String { prefix + "restored" }
    /// The channel of state changes while the database has no installation's id, as for a moment after a flush.
    package var events: String { prefix + "events" }
    /// The channel of an installation's state changes: all databases of a server have the same channels.
    package func events(of installation: InstallationID) -> String { "\(events):\(installation)" }

    /// No key that exists: functions are told by it which installation calls.
    func installation(_ installation: InstallationID) -> String { prefix + "installation:\(installation)" }

    /// The hash of one span's counts; `number` is the span's number since 1970.
    func tally(_ span: Tally.Span, _ number: Int) -> String {
        switch span {
        case .minute: prefix + "tally:minute:\(number)"
        case .hour: prefix + "tally:hour:\(number)"
        }
    }

    /// The list of a device's captures, oldest first.
    package func lane(_ device: DeviceID) -> String { prefix + "lane:\(device)" }

    /// The hash of a capture's job.
    package func job(_ capture: CaptureID) -> String { prefix + "job:\(capture)" }
    /// The status of a settled capture.
    package func settled(_ capture: CaptureID) -> String { prefix + "settled:\(capture)" }
    /// The photo's bytes.
    package func photo(_ capture: CaptureID) -> String { prefix + "photo:\(capture)" }
    /// The depth map's bytes.
    package func depth(_ capture: CaptureID) -> String { prefix + "depth:\(capture)" }
    /// Which capture a bundle was accepted as.
    package func accepted(_ digest: SHA256Digest) -> String { prefix + "accepted:\(digest.hex)" }
}
