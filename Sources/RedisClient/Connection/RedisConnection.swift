/// A dedicated connection, for commands that block or that change the connection's state.
///
/// ``RedisClient/openConnection(within:)`` makes it. It does not reconnect: once it is closed, every command fails with
/// `closed` or with the error that closed it. Commands may be pipelined from several tasks. A timeout closes the
/// connection, and so does cancelling a task whose command was written: otherwise a blocking read without a caller
/// would stay at the server and swallow the next job.
package final class RedisConnection: Sendable {
    private let link: RedisLink
    private let slot: DedicatedSlot

    init(link: RedisLink, slot: DedicatedSlot) {
        self.link = link
        self.slot = slot
    }

    deinit {
        link.close(RedisError(.closed, "the connection was let go"))
    }

    /// Whether the connection is logged in and not lost.
    package var isOpen: Bool { link.gauge.isUp }

    /// Sends a command and waits for its reply.
    ///
    /// - Parameters:
    ///   - command: What to send.
    ///   - timeout: Longest time from writing to the reply; `nil` for ``RedisConfiguration/commandTimeout``. For a
    ///     blocking read, give more than its `BLOCK` time.
    /// - Throws: ``RedisError``; error replies as `server`.
    package func send(_ command: RedisCommand, timeout: Duration? = nil) async throws(RedisError) -> RedisValue {
        try await link.send(command, timeout: timeout)
    }

    /// Sends commands in one write and waits for all replies, in order; error replies are values.
    ///
    /// - Throws: ``RedisError``, never with code `server`.
    package func pipeline(
        _ commands: [RedisCommand], timeout: Duration? = nil
    ) async throws(RedisError) -> [RedisValue] {
        try await link.pipeline(commands, timeout: timeout)
    }

    /// Closes the connection and waits until it is closed; commands under way fail with `outcomeUnknown`.
    package func close() async {
        link.close(RedisError(.closed, "the connection was closed"))
        await link.closed()
    }
}
