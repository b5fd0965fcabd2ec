import RedisClient
import Synchronization

/// Keeps a connection for each read that blocks at the same time, and opens it anew after a fault.
///
/// A connection on which a read was given up is closed and never used again: the server would give the next token to a
/// reader that is gone.
final class BlockingReader: Sendable {
    private let client: RedisClient
    /// Not in use; taken out for the time of a read.
    private let idle = Mutex<[RedisConnection]>([])

    init(client: RedisClient) {
        self.client = client
    }

    /// Sends a command that blocks for up to `wait`.
    func read(_ command: RedisCommand, wait: Duration) async throws(RedisError) -> RedisValue {
        let connection = try await connection()
        let reply: RedisValue
        do {
            // The server's own clock ends the wait; beyond it the answer may take as long as any other.
            reply = try await connection.send(command, timeout: wait + client.commandTimeout)
        } catch {
            // A stream without its group leaves the connection as it was; a server that says anything else may be one
            // that another connection to the same address does not meet again.
            if error.isMissingGroup { keep(connection) } else { await connection.close() }
            throw error
        }
        keep(connection)
        return reply
    }

    private func connection() async throws(RedisError) -> RedisConnection {
        if let kept = idle.withLock({ $0.popLast() }), kept.isOpen { return kept }
        return try await client.openConnection()
    }

    private func keep(_ connection: RedisConnection) {
        idle.withLock { $0.append(connection) }
    }
}
