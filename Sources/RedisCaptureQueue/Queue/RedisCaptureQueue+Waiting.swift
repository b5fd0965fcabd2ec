import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// Waits on the server for a token that no other waiting worker was told of; `false` when the deadline comes first.
    ///
    /// Where no connection can be made for that, it is `true` at once, and the claim pauses before it looks.
    ///
    /// The group ``Keyspace/waitingGroup`` tells each token to one of them, so that idle workers cost nothing, however
    /// many there are. A token that was told stays where it is, and the next claim of any worker finds it: if the answer
    /// is lost, or this worker ends before it claims, the token waits until another worker's wait is over.
    /// - Parameter lanesMax: How many lanes the claim after it takes; other workers are told of more tokens.
    func isTokenAdded(before deadline: ContinuousClock.Instant, lanesMax: Int) async throws(QueueError) -> Bool {
        do throws(RedisError) {
            guard let isAdded = try await hasTokens(lanesMax, within: deadline - .now) else {
                claims.noteIdle(for: lookInterval)
                return true
            }
            return isAdded
        } catch let error where error.isMissingGroup {
            // Somebody has deleted the stream or the group. Where Redis keeps an older library this does not make it:
            // hence the pause before the next look.
            try await join()
            claims.noteIdle(for: lookInterval)
            return true
        } catch let error where error.code == .cancelled {
            // The worker itself ended the wait.
            return false
        } catch {
            throw QueueError(error)
        }
    }

    /// With `NOACK`: nothing is pending for the group, whose only consumer stands for all workers.
    private func hasTokens(_ tokensMax: Int, within wait: Duration) async throws(RedisError) -> Bool? {
        let command = RedisCommand(
            "XREADGROUP",
            [
                "GROUP", .string(Keyspace.waitingGroup), "worker", "COUNT", .integer(tokensMax),
                "BLOCK", .integer(max(1, wait.milliseconds)), "NOACK", "STREAMS", .string(keyspace[0].ready), ">",
            ]
        )
        // [[stream, [[token, fields], …]]], or nothing when the time is over.
        return try await reader.read(command, wait: wait).map { $0.array?.isEmpty == false }
    }
}
