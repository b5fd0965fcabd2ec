import CaptureQueue
import RedisClient

extension RedisClient {
    /// Walks through the keys, or through a collection, in pages that do not block the server.
    /// - Parameters:
    ///   - command: `SCAN`, or the one for the collection's type.
    ///   - before: Its arguments before the cursor.
    ///   - after: Those after it.
    ///   - body: Gets the items of each page; some may come more than once.
    ///   - isDone: Asked after each page; the rest is left out then.
    func scan(
        _ command: String, _ before: [RedisArgument] = [], _ after: [RedisArgument] = [],
        _ body: ([RedisValue]) async throws(QueueError) -> Void, until isDone: () -> Bool = { false }
    ) async throws(QueueError) {
        var cursor = "0"
        repeat {
            let call = RedisCommand(command, before + [.string(cursor)] + after)
            guard let parts = try await replies(to: [call]).withoutErrors()[0].array, parts.count == 2,
                let next = parts[0].string
            else { throw .malformed(command) }
            try await body(parts[1].array ?? [])
            cursor = next
        } while cursor != "0" && !isDone()
    }
}
