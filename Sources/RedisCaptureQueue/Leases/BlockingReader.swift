import Logging
import RedisClient
import Synchronization

/// Keeps a connection for each concurrent blocking read, and opens a new one after a fault.
///
/// If a read is given up, its connection is closed and never used again: its answer is still to come. A server that
/// only lacks the group works, and its connection is kept.
///
/// A server that has reached its limit of connections refuses one more, while those of the client work. Then there are no
/// reads, and one of their callers a second tries to connect.
final class BlockingReader: Sendable {
    private let client: RedisClient
    /// Idle connections; one is taken out for the time of a read.
    private let idle = Mutex<[RedisConnection]>([])
    private let shortage: ConnectionShortage

    init(client: RedisClient, logger: Logger) {
        self.client = client
        shortage = ConnectionShortage(logger: logger)
    }

    /// Sends a command that blocks for up to `wait`; `nil` at once if no connection can be made for it.
    ///
    /// Whoever calls it has just had an answer on the client's other connections: if the server is away, the next call on
    /// these finds out.
    func read(_ command: RedisCommand, wait: Duration) async throws(RedisError) -> RedisValue? {
        guard let connection = try await connection() else { return nil }
        let reply: RedisValue
        do {
            // The server's own clock ends the wait; beyond it the answer may take as long as any other.
            reply = try await connection.send(command, timeout: wait + client.commandTimeout)
        } catch {
            // A new connection to the same address may lead to another, working server.
            if error.isMissingGroup { keep(connection) } else { await connection.close() }
            throw error
        }
        keep(connection)
        return reply
    }

    private func connection() async throws(RedisError) -> RedisConnection? {
        if let kept = idle.withLock({ $0.popLast() }), kept.isOpen { return kept }
        guard let attempt = shortage.beginAttempt() else { return nil }
        do {
            let connection = try await client.openConnection()
            shortage.noteSuccess()
            return connection
        } catch {
            guard error.code == .connection else { throw error }
            shortage.noteFailure(error, of: attempt)
            return nil
        }
    }

    private func keep(_ connection: RedisConnection) {
        idle.withLock { $0.append(connection) }
    }
}
