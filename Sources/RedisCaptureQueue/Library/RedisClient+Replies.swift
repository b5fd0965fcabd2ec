import CaptureQueue
import RedisClient

extension RedisClient {
    /// Sends commands at once; errors of single ones are among the replies.
    func replies(
        to commands: [RedisCommand], timeout: Duration? = nil, onWritten: (@Sendable () -> Void)? = nil
    ) async throws(QueueError) -> [RedisValue] {
        let replies = try await asQueueError { () throws(RedisError) in
            try await pipeline(commands, timeout: timeout, onWritten: onWritten)
        }
        guard replies.count == commands.count else { throw .malformed("a pipeline") }
        return replies
    }

    /// The fields of some sections of `INFO` by their names.
    func info(_ sections: [RedisArgument]) async throws(QueueError) -> [String: String] {
        let reply = try await asQueueError { () throws(RedisError) in
            try await send(RedisCommand("INFO", sections))
        }
        var fields: [String: String] = [:]
        for line in (reply.wholeText ?? "").split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }
}

extension [RedisValue] {
    /// The replies; if one is an error, the first is thrown.
    func withoutErrors() throws(QueueError) -> [RedisValue] {
        do throws(RedisError) {
            return try map { reply throws(RedisError) in try reply.get() }
        } catch {
            throw QueueError(error)
        }
    }

    /// The refusals among the replies, by their places.
    /// - Throws: The first error that is no refusal.
    func refusals() throws(QueueError) -> [Int: QueueError] {
        var refusals: [Int: QueueError] = [:]
        for (place, reply) in enumerated() {
            guard let error = reply.error else { continue }
            let fault = QueueError(RedisError(error))
            guard fault.code == .refused else { throw fault }
            refusals[place] = fault
        }
        return refusals
    }

    /// Names with their values, which alternate in the reply; incomplete pairs are left out.
    var pairs: [(name: String, value: RedisValue)] {
        stride(from: 0, to: count - 1, by: 2).compactMap { index in
            self[index].string.map { (name: $0, value: self[index + 1]) }
        }
    }
}
