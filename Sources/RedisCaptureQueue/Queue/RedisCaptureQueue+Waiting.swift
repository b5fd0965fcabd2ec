import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// The tokens that one wait looks at; more than one only if others were claimed meanwhile.
    private static let waitedTokensMax = 256

    /// Waits on the server for a token that was added since an earlier look; `false` when the deadline comes first.
    ///
    /// By `XREAD`, as `XREADGROUP` would be a write: before its answer the server would wait for the disk, and an answer
    /// that is lost would take its tokens along. All waiting workers are woken by a token, and one of them claims it.
    func isTokenAdded(before deadline: ContinuousClock.Instant) async throws(QueueError) -> Bool {
        do throws(RedisError) {
            guard let seen = claims.seenToken else {
                // The next claim finds what was added before this look, the next wait what is added after it.
                claims.seenToken = try await lastToken()
                return true
            }
            let tokens = try await tokens(after: seen, wait: deadline - .now)
            // After a wait in vain it is looked at anew: a server that has lost its data may begin with lower ids.
            claims.seenToken = tokens.last
            return !tokens.isEmpty
        } catch {
            claims.seenToken = nil
            // The worker itself ended the wait.
            if error.code == .cancelled { return false }
            throw QueueError(error)
        }
    }

    /// The id of the token that was added last, whether or not it is still there.
    private func lastToken() async throws(RedisError) -> String {
        let reply: RedisValue
        do {
            reply = try await functions.client.send(RedisCommand("XINFO", ["STREAM", .string(keyspace[0].ready)]))
        } catch let error where error.message.contains("no such key") {
            // Deleted since the claim: every token is a new one.
            return "0"
        }
        let parts = reply.array ?? []
        let name = parts.firstIndex { $0.string == "last-generated-id" }
        guard let name, name + 1 < parts.count, let id = parts[name + 1].string else {
            throw RedisError(.protocolViolation, "XINFO STREAM names no last-generated-id")
        }
        return id
    }

    /// The tokens that were added after one; none when the time is over.
    private func tokens(after seen: String, wait: Duration) async throws(RedisError) -> [String] {
        let command = RedisCommand(
            "XREAD",
            [
                "COUNT", .integer(Self.waitedTokensMax), "BLOCK", .integer(max(1, wait.milliseconds)), "STREAMS",
                .string(keyspace[0].ready), .string(seen),
            ]
        )
        let reply = try await reader.read(command, wait: wait)
        // [[stream, [[token, fields], …]]], or nothing when the time is over.
        let entries = reply.array?.first?.array?.last?.array ?? []
        return entries.compactMap { $0.array?.first?.string }
    }
}
