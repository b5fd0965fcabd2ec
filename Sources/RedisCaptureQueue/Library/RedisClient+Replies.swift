import CaptureQueue
import RedisClient

extension RedisClient {
    /// Sends commands at once; errors of single ones are among the replies.
    func replies(
        to commands: [RedisCommand], timeout: Duration? = nil
    ) async throws(QueueError) -> [RedisValue] {
        let replies = try await translating { () throws(RedisError) in
            try await pipeline(commands, timeout: timeout)
        }
        guard replies.count == commands.count else { throw .malformed("a pipeline") }
        return replies
    }
}

extension [RedisValue] {
    /// The same replies, none of which is an error: the first that is one is thrown.
    func withoutErrors() throws(QueueError) -> [RedisValue] {
        do throws(RedisError) {
            return try map { reply throws(RedisError) in try reply.get() }
        } catch {
            throw QueueError(error)
        }
    }
}
