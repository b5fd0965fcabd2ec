import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// Looks at every key of the queue; returns the lanes by partition.
    func walk(
        _ examination: inout QueueExamination, _ progress: (Int) -> Void
    ) async throws(QueueError) -> [Int: Set<DeviceID>] {
        var lanes: [Int: Set<DeviceID>] = [:]
        var cursor = "0"
        var looked = 0
        repeat {
            let reply = try await queue.send([
                RedisCommand("SCAN", [.string(cursor), "MATCH", .string(queue.keyspace.pattern), "COUNT", 1000])
            ])
            guard let parts = reply[0].array, parts.count == 2, let next = parts[0].string else {
                throw .malformed("SCAN")
            }
            cursor = next
            let found = (parts[1].array ?? []).compactMap { $0.string.flatMap { queue.keyspace.locate($0) } }
            for (partition, kinds) in Dictionary(grouping: found, by: \.partition) {
                let keys = queue.keyspace[partition]
                let kinds = kinds.map(\.kind)
                try await examine(kinds, keys, &examination)
                for case .lane(let device) in kinds {
                    guard lanes[partition, default: []].insert(device).inserted else { continue }
                    try await examineEntries(of: device, keys, &examination)
                }
            }
            looked += found.count
            progress(looked)
        } while cursor != "0"
        return lanes
    }

    private func examine(
        _ kinds: [KeyKind], _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        var captures: Set<CaptureID> = []
        var digests: [SHA256Digest] = []
        for kind in kinds {
            switch kind {
            case .job(let capture), .settled(let capture), .bytes(let capture): captures.insert(capture)
            case .accepted(let digest): digests.append(digest)
            case .lane: continue
            }
        }
        try await examine(captures.map { ($0, "") }, keys, &examination)
        for questions in digests.pages(of: Self.questionsMax) {
            let replies = try await ask("capture_examine_bundle_v1", keys, questions.map { [.string($0.hex)] })
            for (digest, reply) in zip(questions, replies) {
                guard let capture = reply.string else { continue }
                examination.note(QueueFinding(.bundleOfNothing, digest.hex, partition: keys.number, hint: capture))
            }
        }
    }

    /// Looks at captures, each at one moment.
    private func examine(
        _ captures: [(capture: CaptureID, device: String)], _ keys: PartitionKeys,
        _ examination: inout QueueExamination
    ) async throws(QueueError) {
        for questions in captures.pages(of: Self.questionsMax) {
            let arguments = questions.map { [RedisArgument.string($0.capture.description), .string($0.device)] }
            let replies = try await ask("capture_examine_capture_v1", keys, arguments)
            for (question, reply) in zip(questions, replies) {
                guard let parts = reply.array, parts.count >= 2 else { throw .malformed("capture_examine_capture_v1") }
                if let state = parts[0].string.flatMap(CaptureState.init(rawValue:)) {
                    examination.note(question.capture, state: state, bytes: parts[1].int ?? 0, partition: keys.number)
                }
                for fault in parts.dropFirst(2).compactMap({ $0.string.flatMap(QueueFault.init(rawValue:)) }) {
                    examination.note(
                        QueueFinding(fault, "\(question.capture)", partition: keys.number, hint: question.device))
                }
            }
        }
    }

    /// Looks for entries of a lane without a job, from its end: captures leave at the head while the pages are read.
    private func examineEntries(
        of device: DeviceID, _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        var last = -1
        while true {
            let reply = try await queue.send([
                RedisCommand("LRANGE", [.string(keys.lane(device)), .integer(last - 999), .integer(last)])
            ])
            let entries = (reply[0].array ?? []).compactMap { $0.string.flatMap { CaptureID($0) } }
            try await examineJobless(entries, device: device, keys, &examination)
            try await countBytes(of: entries, device: device, keys, &examination)
            guard entries.count == 1000 else { return }
            last -= 1000
        }
    }

    /// Looks for dead letters without a job.
    func examineDead(_ partition: Int, _ examination: inout QueueExamination) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        var dead: [CaptureID] = []
        try await queue.pages("ZSCAN", [.string(keys.dead)], ["COUNT", 1000]) { items in
            for index in stride(from: 0, to: items.count, by: 2) {
                if let capture = items[index].string.flatMap({ CaptureID($0) }) { dead.append(capture) }
            }
        }
        try await examineJobless(dead, device: nil, keys, &examination)
    }

    private func examineJobless(
        _ captures: [CaptureID], device: DeviceID?, _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        for page in captures.pages(of: 500) {
            let replies = try await queue.send(page.map { RedisCommand("EXISTS", [.string(keys.job($0))]) })
            let jobless = zip(page, replies).filter { $0.1.int == 0 }.map { ($0.0, device?.description ?? "") }
            try await examine(jobless, keys, &examination)
        }
    }
}
