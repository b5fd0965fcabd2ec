import CaptureModel
public import CaptureQueue
import RedisClient

/// Examines a queue beside its running workers, and mends what can be mended.
///
/// It walks through the keys in pages (`SCAN`), so that the server is never held up, and takes what it sees for a
/// suspicion only. A function then looks at the one lane, capture or bundle again at one moment, and
/// only what it finds is noted.
///
/// ```swift
/// let doctor = QueueDoctor(queue: queue)
/// let examination = try await doctor.examine()
/// let mended = try await doctor.mend(examination.findings)
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
            try await examineHeads(lanes: lanes[index, default: []], partition: index, &examination)
            try await examineLaneBytes(partition: index, &examination)
            let held = views[index].pending.values.max()
            examination.longestHeld = [examination.longestHeld, held].compactMap { $0 }.max()
        }
        examination.lanes = lanes.values.reduce(0) { $0 + $1.count }
        try await compareLevels(&examination)
        try await readConsumers(&examination)
        examination.conclude()
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
                examination.note(QueueFinding(.tokenWithoutDevice, token, partition: partition))
            }
        }
        let undecided = try await askLanes(
            "capture_examine_lane_v1", Array(view.suspects(lanes: lanes)), keys, &view
        ) { device, faults in
            for fault in faults { examination.note(QueueFinding(fault, "\(device)", partition: partition)) }
        }
        examination.undecided += undecided
    }

    /// Asks a question about each of some lanes, many at once, and hands over what is wrong with each.
    /// - Returns: About how many there is no answer: a queue that is so busy that the view of it is always behind is
    ///   not waited for without an end.
    func askLanes(
        _ function: String, _ devices: [DeviceID], _ keys: PartitionKeys, _ view: inout TokenView,
        _ note: (DeviceID, [QueueFault]) -> Void
    ) async throws(QueueError) -> Int {
        var open = devices
        for _ in 0..<20 where !open.isEmpty {
            var behind: [DeviceID] = []
            for questions in open.pages(of: Self.questionsMax) {
                try await view.catchUp(queue)
                let arguments = questions.map { device in
                    [.string(device.description), .string(view.since)]
                        + view.tokens[device, default: []].map { RedisArgument.string($0) }
                }
                for (device, reply) in zip(questions, try await ask(function, keys, arguments)) {
                    let faults = reply.array?.compactMap(\.string) ?? []
                    if faults == ["behind"] { behind.append(device) }
                    note(device, faults.compactMap { QueueFault(rawValue: $0) })
                }
            }
            open = behind
        }
        return open.count
    }

    /// Asks one question for each list of arguments; a refused one is thrown.
    func ask(
        _ function: String, _ keys: PartitionKeys, _ arguments: [[RedisArgument]]
    ) async throws(QueueError) -> [RedisValue] {
        let commands = arguments.map { FunctionCaller.command(function, keys: [keys.ready], $0) }
        return try await queue.functions.callAll(commands).withoutErrors()
    }
}

extension Array {
    /// The elements in order, so many at a time.
    func pages(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
