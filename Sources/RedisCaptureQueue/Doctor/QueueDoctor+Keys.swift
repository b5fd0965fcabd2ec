import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// Looks at every key of the queue; returns the lanes by partition, without those whose keys are no lists.
    ///
    /// Told to stop, it ends, and the examination is not whole.
    func walk(
        _ examination: inout QueueExamination, _ progress: (Int) -> Void, until isStopped: () -> Bool
    ) async throws(QueueError) -> [Int: Set<DeviceID>] {
        var lanes: [Int: Set<DeviceID>] = [:]
        var looked = 0
        let pattern = RedisArgument.string(queue.keyspace.pattern)
        try await queue.functions.client.scan("SCAN", [], ["MATCH", pattern, "COUNT", 1000]) {
            (items) async throws(QueueError) in
            let names = items.compactMap(\.string)
            try await examineBeyond(names, &examination)
            let found = names.compactMap { queue.keyspace.locate($0) }
            let readable = try await self.readable(found, &examination)
            for (partition, located) in Dictionary(grouping: readable, by: \.partition) {
                let kinds = located.map(\.kind)
                try await look(at: kinds, queue.keyspace[partition], &lanes[partition, default: []], &examination)
            }
            looked += found.count
            progress(looked)
            examination.isWhole = !isStopped()
        } until: {
            !examination.isWhole
        }
        return lanes
    }

    private func look(
        at kinds: [KeyKind], _ keys: PartitionKeys, _ lanes: inout Set<DeviceID>, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        try await examine(kinds, keys, &examination)
        let lists = kinds.compactMap { kind -> String? in
            guard case .lane(let device) = kind else { return nil }
            return keys.lane(device)
        }
        try await examineEnds(of: lists, partition: keys.number, &examination)
        for case .settled(let capture) in kinds { examination.settled[keys.number, default: []].append(capture) }
        for case .lane(let device) in kinds {
            guard lanes.insert(device).inserted else { continue }
            if partition(of: device) != keys.number {
                examination.note(QueueFinding(.laneOfOtherPartition, "\(device)", partition: keys.number))
            }
            try await readEntries(of: device, keys, &examination)
        }
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
            case .lane, .tally: continue
            }
        }
        try await examine(Array(captures), keys, &examination)
        for questions in digests.pages(of: Self.questionsMax) {
            let replies = try await ask(.examineBundle, keys, questions.map { [.string($0.hex)] })
            for (digest, reply) in zip(questions, replies) {
                guard let capture = reply.shown() else { continue }
                examination.note(QueueFinding(.bundleOfNothing, digest.hex, partition: keys.number, hint: capture))
            }
        }
    }

    /// Examines captures, each in one atomic step, except whether they are in the right lanes.
    func examine(
        _ captures: [CaptureID], _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let function = QueueFunction.examineCapture
        let status = RedisArgument.integer(max(1, queue.configuration.statusRetention.milliseconds))
        for questions in captures.pages(of: Self.questionsMax) {
            let replies = try await ask(function, keys, questions.map { [.string($0.description), status] })
            for (capture, reply) in zip(questions, replies) {
                guard let parts = reply.array, parts.count >= 3 else { throw .malformed(function) }
                examination.note(capture, parts, faultsFrom: 3, partition: keys.number)
                if let device = parts[2].string.flatMap({ DeviceID($0) }) {
                    examination.entries[keys.number, default: LaneEntries()].expect(capture, in: device)
                }
            }
        }
    }
}

extension QueueExamination {
    /// Notes an answer about a capture: its state, its bytes, and its faults from a given index on.
    mutating func note(
        _ capture: CaptureID, _ answer: [RedisValue], faultsFrom place: Int, partition: Int, hint: String = ""
    ) {
        if let state = answer[0].string.flatMap(CaptureState.init(rawValue:)) {
            note(capture, state: state, bytes: answer[1].int ?? 0, partition: partition)
        }
        for fault in answer.dropFirst(place).compactMap({ $0.string.flatMap(QueueFault.init(rawValue:)) }) {
            note(QueueFinding(fault, "\(capture)", partition: partition, hint: hint))
        }
    }
}
