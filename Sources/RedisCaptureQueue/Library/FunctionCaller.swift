import CaptureQueue
import Logging
import RedisClient

/// Calls the library's functions, and loads it again when the server has lost it.
///
/// A Redis that was restarted without its data, or flushed, has no functions: the caller loads them and goes on.
struct FunctionCaller: Sendable {
    let client: RedisClient
    let logger: Logger

    /// Calls one function.
    func call(_ function: String, keys: [String], _ arguments: [RedisArgument]) async throws(QueueError) -> RedisValue {
        let command = Self.command(function, keys: keys, arguments)
        guard let reply = try await callAll([command]).first else { throw .malformed(function) }
        return try await translating { () throws(RedisError) in try reply.get() }
    }

    /// Calls several at once; errors of single ones are among the values.
    func callAll(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        let replies = try await pipeline(commands)
        guard replies.contains(where: Self.isMissingFunction) else { return replies }
        let installation = try await FunctionLibrary.current.install(on: client)
        logger.warning(
            "the function library was missing and has been loaded",
            metadata: ["installation": "\(installation)"]
        )
        // Only those that were not run are run again.
        let missing = replies.indices.filter { Self.isMissingFunction(replies[$0]) }
        let repeated = try await pipeline(missing.map { commands[$0] })
        var merged = replies
        for (index, reply) in zip(missing, repeated) { merged[index] = reply }
        return merged
    }

    /// `FCALL` of a function.
    static func command(_ function: String, keys: [String], _ arguments: [RedisArgument]) -> RedisCommand {
        RedisCommand("FCALL", [.string(function), .integer(keys.count)] + keys.map { .string($0) } + arguments)
    }

    /// Whether an answer says that the library is not loaded.
    static func isMissingFunction(_ reply: RedisValue) -> Bool {
        reply.error.map { $0.message.contains("Function not found") } ?? false
    }

    private func pipeline(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        let replies = try await translating { () throws(RedisError) in try await client.pipeline(commands) }
        guard replies.count == commands.count else { throw .malformed("a pipeline") }
        return replies
    }
}
