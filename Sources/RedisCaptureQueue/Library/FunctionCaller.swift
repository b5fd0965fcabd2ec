import CaptureQueue
import Logging
import RedisClient

/// Calls the library's functions, and loads it again when the server has lost it.
///
/// A Redis that was restarted without its data, or flushed, has no functions: the caller loads them and goes on.
struct FunctionCaller: Sendable {
    let client: RedisClient
    /// Whether it may load functions into the server.
    let installs: Bool
    let logger: Logger

    /// Calls one function.
    func call(
        _ function: QueueFunction, keys: [String], _ arguments: [RedisArgument]
    ) async throws(QueueError) -> RedisValue {
        let command = Self.command(function, keys: keys, arguments)
        guard let reply = try await callAll([command]).first else { throw .malformed(function) }
        return try await asQueueError { () throws(RedisError) in try reply.get() }
    }

    /// Calls several at once; errors of single ones are among the values.
    /// - Parameter onWritten: See ``RedisClient/pipeline(_:timeout:onWritten:)``.
    func callAll(
        _ commands: [RedisCommand], onWritten: (@Sendable () -> Void)? = nil
    ) async throws(QueueError) -> [RedisValue] {
        let replies = try await client.replies(to: commands, onWritten: onWritten)
        guard replies.contains(where: Self.isMissingFunction) else { return replies }
        try await install()
        // Only calls that were not run are repeated.
        let missing = replies.indices.filter { Self.isMissingFunction(replies[$0]) }
        let repeated = try served(try await client.replies(to: missing.map { commands[$0] }))
        var merged = replies
        for (index, reply) in zip(missing, repeated) { merged[index] = reply }
        return merged
    }

    /// Calls several at once and sends one more command after them in the same write, whose reply comes last.
    ///
    /// If a function was missing, all are called again, as the last command (`WAIT`) covers only calls before it.
    func callAll(
        _ commands: [RedisCommand], then last: RedisCommand, within limit: Duration
    ) async throws(QueueError) -> [RedisValue] {
        let timeout = client.commandTimeout + limit
        let replies = try await client.replies(to: commands + [last], timeout: timeout)
        guard replies.contains(where: Self.isMissingFunction) else { return replies }
        try await install()
        return try served(try await client.replies(to: commands + [last], timeout: timeout))
    }

    /// The replies; throws if a function is still missing.
    private func served(_ replies: [RedisValue]) throws(QueueError) -> [RedisValue] {
        guard replies.contains(where: Self.isMissingFunction) else { return replies }
        throw QueueError(
            .unavailable, "a newer function library does not serve this release any more, which has to be replaced")
    }

    private func install() async throws(QueueError) {
        guard installs else {
            throw QueueError(.refused, "functions of this release are missing: capturectl migrate loads them")
        }
        switch try await FunctionLibrary.current.install(on: client) {
        case .loaded: logger.warning("the function library was missing and has been loaded")
        case .present, .newer: return
        case .kept(let version):
            throw QueueError(
                .unavailable, "Redis is full and keeps the function library \(version), which has not this function yet"
            )
        }
    }

    /// `FCALL` of a function.
    static func command(
        _ function: QueueFunction, keys: [String], _ arguments: [RedisArgument] = []
    ) -> RedisCommand {
        RedisCommand(
            "FCALL", [.string(function.rawValue), .integer(keys.count)] + keys.map { .string($0) } + arguments)
    }

    /// Whether an answer says that the library is not loaded.
    static func isMissingFunction(_ reply: RedisValue) -> Bool {
        reply.error.map { RedisError($0).isMissingFunction } ?? false
    }
}

extension RedisError {
    /// The library is not loaded: a restart without data, or a flush.
    var isMissingFunction: Bool { message.contains("Function not found") }
}
