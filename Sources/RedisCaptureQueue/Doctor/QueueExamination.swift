package import CaptureModel
import CaptureQueue

/// The result of the doctor's examination of a queue.
package struct QueueExamination: Sendable {
    /// A worker as the consumer group knows it.
    package struct Consumer: Sendable, Equatable {
        /// Its name.
        package let name: String
        /// How many lanes it holds.
        package let lanes: Int
        /// How long ago it last sent a command for its group.
        package let idle: Duration
    }

    /// The faults found, each confirmed in one atomic step before it was noted; at most ``findingsMax`` of each.
    package private(set) var findings: [QueueFinding] = []
    /// Faults that were found more often than is kept: the rest is found once these are mended.
    package private(set) var crowded: Set<QueueFault> = []
    /// How many findings of one fault are kept at most: each takes some hundred bytes.
    package static let findingsMax = 100_000
    private let findingsMax: Int
    /// The findings so far without their hints, to note each once.
    private var met: Set<QueueFinding.Identity> = []
    private var counts: [QueueFault: Int] = [:]
    /// Lanes that stayed undecided, as too many tokens came meanwhile.
    package internal(set) var undecided = 0
    /// Captures that wait or are worked.
    package internal(set) var waiting: Set<CaptureID> = []
    /// Dead letters.
    package internal(set) var failed: Set<CaptureID> = []
    /// Captures that Redis calls settled, by partition, until ``dropSettled()``; one may be there twice.
    package internal(set) var settled: [Int: [CaptureID]] = [:]
    /// Lanes with captures.
    package internal(set) var lanes = 0
    /// The workers.
    package internal(set) var consumers: [Consumer] = []
    /// The longest time for which a held lane was not renewed; `nil` when none is held.
    package internal(set) var longestHeld: Duration?
    /// Whether the level counters could be compared; `false` when the queue was too busy.
    package internal(set) var countersCompared = true

    /// Whether it came to its end: one that was told to stop says nothing about the queue as a whole.
    package internal(set) var isWhole = true

    /// Faults that were not looked for everywhere, as a key of another type would have been read for it.
    package private(set) var skipped: Set<QueueFault> = []

    /// Keys of another type, of those that a partition has only one of.
    var wrongKeys: Set<String> = []
    /// Lanes whose keys are no lists, by partition.
    var wrongLanes: [Int: Set<DeviceID>] = [:]
    var waitingBytes: [Int: Int] = [:]
    var waitingCount: [Int: Int] = [:]
    var failedBytes: [Int: Int] = [:]
    /// How the bytes of each lane that was found are counted, by partition.
    var laneCounts: [Int: [DeviceID: LaneCount]] = [:]
    /// The lanes' entries by partition, until they have been compared.
    var entries: [Int: LaneEntries] = [:]
    /// Captures that have come or gone in each partition until the examination began.
    var activity: [Int: Int] = [:]

    /// Nothing seen yet.
    /// - Parameter findingsMax: How many findings of one fault are kept at most.
    package init(findingsMax: Int = QueueExamination.findingsMax) {
        self.findingsMax = findingsMax
    }

    /// Notes a finding once, as a capture is met by its job, by its bytes and in its lane.
    mutating func note(_ finding: QueueFinding) {
        guard !met.contains(finding.identity) else { return }
        guard counts[finding.fault, default: 0] < findingsMax else {
            crowded.insert(finding.fault)
            return
        }
        counts[finding.fault, default: 0] += 1
        met.insert(finding.identity)
        findings.append(finding)
    }

    /// Forgets the settled captures, once they have been compared with the record: there may be millions.
    package mutating func dropSettled() { settled = [:] }

    /// The findings that can be mended: none in a partition that has a key of another type, of those that it has only
    /// one of, as mending may write all of these.
    package var mendable: [QueueFinding] {
        let damaged = Set(findings.filter { wrongKeys.contains($0.subject) }.map(\.partition))
        return findings.filter { $0.fault.canBeMended && !damaged.contains($0.partition) }
    }

    /// Whether none of these keys is of another type; if one is, notes that a fault is not looked for.
    mutating func canRead(_ keys: String..., lookingFor fault: QueueFault) -> Bool {
        guard !wrongKeys.isDisjoint(with: keys) else { return true }
        skipped.insert(fault)
        return false
    }

    /// Puts the findings in order, without those that only repeat another.
    mutating func conclude() {
        // A capture that is met only by its bytes is found in no lane and no list, as its device is unknown.
        let entries = Set(
            findings.filter { [.laneEntryWithoutJob, .deadLetterWithoutJob].contains($0.fault) }.map(\.subject))
        findings.removeAll { $0.fault == .bytesWithoutJob && entries.contains($0.subject) }
        findings.sort { ($0.fault, $0.subject) < ($1.fault, $1.subject) }
    }

    mutating func note(_ capture: CaptureID, state: CaptureState, bytes: Int, partition: Int) {
        // The server may show a key twice in one walk.
        switch state {
        case .queued, .processing, .retrying:
            guard waiting.insert(capture).inserted else { return }
            waitingCount[partition, default: 0] += 1
            waitingBytes[partition] = waitingBytes[partition, default: 0].addingClamped(bytes)
        case .failed:
            guard failed.insert(capture).inserted else { return }
            failedBytes[partition] = failedBytes[partition, default: 0].addingClamped(bytes)
        case .verified, .rejected: break
        }
    }
}
