import CaptureModel
public import CaptureQueue
import RedisClient

/// Examines a queue beside its running workers, and mends what can be mended.
///
/// It walks through the keys in pages (`SCAN`), so that the server is never held up, and takes what it sees for a suspicion
/// only. A function then looks at the one lane, capture or bundle again at one moment, and only what it finds is noted.
///
/// ```swift
/// let doctor = QueueDoctor(queue: queue)
/// let examination = try await doctor.examine()
/// for finding in examination.findings { _ = try await doctor.mend(finding) }
/// ```
public struct QueueDoctor: Sendable {
    let queue: RedisCaptureQueue
    /// How many questions are sent at once: what bounds the time for which others wait.
    static let questionsMax = 50

    /// Looks at a queue.
    public init(queue: RedisCaptureQueue) {
        self.queue = queue
    }

    /// Looks at everything once.
    /// - Parameter progress: Is told how many keys have been looked at.
    public func examine(progress: (Int) -> Void = { _ in }) async throws(QueueError) -> QueueExamination {
        var examination = QueueExamination()
        for keys in queue.keyspace.all { examination.activity[keys.number] = try await activity(keys) }
        var views = queue.keyspace.all.map { TokenView($0) }
        for index in views.indices { try await views[index].read(queue) }
        let lanes = try await walk(&examination, progress)
        for index in views.indices {
            try await examineDead(index, &examination)
            try await examineTokens(&views[index], lanes: lanes[index, default: []], partition: index, &examination)
            let held = views[index].pending.values.max()
            examination.longestHeld = [examination.longestHeld, held].compactMap { $0 }.max()
        }
        examination.lanes = lanes.values.reduce(0) { $0 + $1.count }
        try await compareLevels(&examination)
        try await readConsumers(&examination)
        // Met by its bytes alone a capture is in no lane and no list, as nobody knows whose it is.
        let entries = Set(
            examination.findings.filter { [.laneEntryWithoutJob, .deadLetterWithoutJob].contains($0.fault) }
                .map(\.subject))
        examination.findings.removeAll { $0.fault == .bytesWithoutJob && entries.contains($0.subject) }
        examination.findings.sort { ($0.fault, $0.subject) < ($1.fault, $1.subject) }
        return examination
    }

    private func readConsumers(_ examination: inout QueueExamination) async throws(QueueError) {
        for keys in queue.keyspace.all {
            for row in try await queue.groupRows("CONSUMERS", keys) {
                examination.consumers.append(
                    .init(
                        name: row["name"]?.string ?? "", lanes: row["pending"]?.int ?? 0,
                        idle: .milliseconds(row["idle"]?.int ?? 0)
                    )
                )
            }
        }
    }

    // MARK: Keys

    /// Looks at every key of the queue; returns the lanes by partition.
    private func walk(
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
            case .job(let capture), .bytes(let capture): captures.insert(capture)
            case .accepted(let digest): digests.append(digest)
            case .lane: continue
            }
        }
        try await examine(captures.map { ($0, "") }, keys, &examination)
        for questions in digests.pages(of: Self.questionsMax) {
            let replies = try await ask("capture_examine_bundle_v1", keys, questions.map { [.string($0.hex)] })
            for (digest, reply) in zip(questions, replies) {
                guard let capture = reply.string else { continue }
                examination.findings.append(
                    QueueFinding(.bundleOfNothing, digest.hex, partition: keys.number, hint: capture))
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
                    let finding = QueueFinding(
                        fault, "\(question.capture)", partition: keys.number, hint: question.device)
                    // A capture is met by its job, by its bytes and in its lane.
                    let isKnown = examination.findings.contains {
                        $0.fault == fault && $0.subject == finding.subject
                    }
                    if !isKnown { examination.findings.append(finding) }
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
            guard entries.count == 1000 else { return }
            last -= 1000
        }
    }

    private func examineDead(_ partition: Int, _ examination: inout QueueExamination) async throws(QueueError) {
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

    // MARK: Tokens

    private func examineTokens(
        _ view: inout TokenView, lanes: Set<DeviceID>, partition: Int, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        for tokens in view.nameless.pages(of: Self.questionsMax) {
            let reply = try await ask("capture_examine_tokens_v1", keys, [tokens.map { .string($0) }])
            for token in reply.first?.array?.compactMap(\.string) ?? [] {
                examination.findings.append(QueueFinding(.tokenWithoutDevice, token, partition: partition))
            }
        }
        var suspects = Array(view.suspects(lanes: lanes))
        // A queue that is so busy that one is always behind is not waited for without an end.
        for _ in 0..<20 where !suspects.isEmpty {
            var behind: [DeviceID] = []
            for questions in suspects.pages(of: Self.questionsMax) {
                try await view.catchUp(queue)
                let arguments = questions.map { Self.laneArguments($0, view) }
                let replies = try await ask("capture_examine_lane_v1", keys, arguments)
                for (device, reply) in zip(questions, replies) {
                    let faults = reply.array?.compactMap(\.string) ?? []
                    if faults == ["behind"] { behind.append(device) }
                    examination.findings += faults.compactMap { QueueFault(rawValue: $0) }.map {
                        QueueFinding($0, "\(device)", partition: partition)
                    }
                }
            }
            suspects = behind
        }
        examination.undecided += suspects.count
    }

    static func laneArguments(_ device: DeviceID, _ view: TokenView) -> [RedisArgument] {
        [.string(device.description), .string(view.since)]
            + view.tokens[device, default: []].map { .string($0) }
    }

    /// Asks one question for each list of arguments; a refused one is thrown.
    func ask(
        _ function: String, _ keys: PartitionKeys, _ arguments: [[RedisArgument]]
    ) async throws(QueueError) -> [RedisValue] {
        let replies = try await queue.functions.callAll(
            arguments.map { FunctionCaller.command(function, keys: [keys.ready], $0) })
        return try await translating { () throws(RedisError) in
            var values: [RedisValue] = []
            for reply in replies { values.append(try reply.get()) }
            return values
        }
    }
}

extension Array {
    /// The elements in order, so many at a time.
    func pages(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
