import CaptureModel
package import CaptureQueue
import RedisClient

/// Examines a queue beside its running workers, and mends what can be mended.
///
/// It walks through the keys and lanes in pages (`SCAN`, `LRANGE`), so that the server is never blocked, and treats
/// what it sees as a suspicion. A function then checks the one lane, capture or bundle in one atomic step, which takes
/// no longer than going through one lane; only its findings are noted. The doctor holds the ids of all captures in the
/// queue, which `queue.capturesMax` bounds, and of all that were settled within `queue.statusRetention`, and up to
/// ``QueueExamination/findingsMax`` findings of each fault.
///
/// ```swift
/// let doctor = QueueDoctor(queue: queue)
/// let examination = try await doctor.examine()
/// var mending = Mending()
/// try await doctor.mend(examination.findings, into: &mending)
/// ```
package struct QueueDoctor: Sendable {
    let queue: RedisCaptureQueue
    /// How many questions are sent at once: bounds the time for which other callers wait.
    static let questionsMax = 50
    /// How many keys or captures plain commands, or a statement, ask about at once: each takes far less than a question.
    package static let pageSize = 500

    /// Looks at a queue.
    package init(queue: RedisCaptureQueue) {
        self.queue = queue
    }

    /// Examines the whole queue once.
    /// - Parameters:
    ///   - progress: Called with the number of keys examined so far.
    ///   - isStopped: Asked between the steps: once it is true, the examination ends, and is not whole.
    package func examine(
        progress: (Int) -> Void = { _ in }, until isStopped: () -> Bool = { false }
    ) async throws(QueueError) -> QueueExamination {
        var examination = QueueExamination()
        var views = queue.keyspace.all.map { TokenView($0) }
        for keys in queue.keyspace.all {
            try await examineTypes(of: keys, &examination)
            let kept = keys.kept.filter { !examination.wrongKeys.contains($0) }
            try await examineEnds(of: kept, partition: keys.number, &examination)
            guard examination.canRead(keys.stats, lookingFor: .levelWrong) else { continue }
            examination.activity[keys.number] = try await activity(keys)
        }
        for keys in queue.keyspace.all
        where examination.canRead(keys.ready, keys.delayed, lookingFor: .laneWithoutToken) {
            try await views[keys.number].read(queue)
        }
        let lanes = try await walk(&examination, progress, until: isStopped)
        for index in views.indices where examination.isWhole {
            try await examineEntries(partition: index, &examination)
            try await examineDead(index, &examination)
            try await examineTokens(&views[index], lanes: lanes[index, default: []], partition: index, &examination)
            try await examineHeads(lanes: lanes[index, default: []], partition: index, &examination)
            try await examineLaneBytes(partition: index, &examination)
            let held = views[index].pending.values.max()
            examination.longestHeld = [examination.longestHeld, held].compactMap { $0 }.max()
            examination.isWhole = !isStopped()
        }
        guard examination.isWhole else {
            examination.conclude()
            return examination
        }
        examination.lanes = lanes.values.reduce(0) { $0 + $1.count }
        try await compareLevels(&examination)
        try await readConsumers(&examination)
        examination.conclude()
        return examination
    }

    private func readConsumers(_ examination: inout QueueExamination) async throws(QueueError) {
        for keys in queue.keyspace.all {
            for consumer in try await queue.groupInfo("CONSUMERS", keys).array ?? [] {
                let pairs = (consumer.array ?? []).pairs.map { ($0.name, $0.value) }
                let row = Dictionary(pairs) { first, _ in first }
                examination.consumers.append(
                    .init(
                        name: row["name"]?.shown() ?? "", lanes: row["pending"]?.int ?? 0,
                        idle: .milliseconds(row["idle"]?.int ?? 0)
                    )
                )
            }
        }
    }

    /// Asks one question for each list of arguments; throws if one is refused.
    func ask(
        _ function: QueueFunction, _ keys: PartitionKeys, _ arguments: [[RedisArgument]]
    ) async throws(QueueError) -> [RedisValue] {
        let commands = arguments.map { FunctionCaller.command(function, keys: [keys.ready], $0) }
        return try await queue.functions.callAll(commands).withoutErrors()
    }
}
