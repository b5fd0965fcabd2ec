import RedisClient
import Synchronization

/// Keeps a connection for each concurrent blocking read, and opens a new one after a fault.
///
/// If a read is given up, its connection is closed and never used again: its answer is still to come. A server that
/// only lacks the group works, and its connection is kept.
final class BlockingReader: Sendable {
    private let client: RedisClient
    /// Idle connections; one is taken out for the time of a read.
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
            // A new connection to the same address may lead to another, working server.
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
