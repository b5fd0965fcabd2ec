import NIOCore
import Synchronization

/// Carries messages from a link to the reader of a subscription, and pings the link at intervals.
final class MessageRelay: Sendable {
    /// Held while a message is passed on, so that its reader sees a count that includes the message it displaced.
    private let dropped = Mutex(0)
    private let continuation: AsyncThrowingStream<RedisMessage, any Error>.Continuation
    private let link: RedisLink
    // Holds the place among the dedicated connections for as long as the subscription lives.
    private let slot: DedicatedSlot

    init(
        _ continuation: AsyncThrowingStream<RedisMessage, any Error>.Continuation, link: RedisLink, slot: DedicatedSlot
    ) {
        self.continuation = continuation
        self.link = link
        self.slot = slot
        continuation.onTermination = { _ in
            link.close(RedisError(.closed, "the subscription was let go"))
        }
    }

    /// How many messages are lost so far.
    var droppedCount: Int { dropped.withLock { $0 } }

    /// Passes a message on, and counts the one that it displaced, if any.
    func receive(_ value: RedisValue) {
        guard let parts = value.array, parts.count == 3, let channel = parts[1].string, let payload = parts[2].buffer
        else { return }
        let message = RedisMessage(channel: channel, payload: payload)
        dropped.withLock { dropped in
            if case .dropped = continuation.yield(message) { dropped += 1 }
        }
    }

    /// Pings until the link is closed, and ends the subscription with the reason.
    ///
    /// A subscriber never writes, so it would never notice that its server vanished silently. RESP2 allows `PING` on a
    /// subscribed connection and answers it in the order of commands; a late answer closes the link.
    func watch(pingInterval: TimeAmount) {
        link.closedFuture.whenSuccess { [continuation] reason in continuation.finish(throwing: reason) }
        Self.ping(link, every: pingInterval)
    }

    private static func ping(_ link: RedisLink, every interval: TimeAmount) {
        link.eventLoop.scheduleTask(in: interval) {
            link.sendFuture(RedisCommand("PING")).whenComplete { result in
                if isSignOfLife(result) { ping(link, every: interval) }
            }
        }
    }

    /// An error reply is a sign of life too, such as `BUSY` during a long script; any other fault has closed the link.
    private static func isSignOfLife(_ result: Result<RedisValue, any Error>) -> Bool {
        switch result {
        case .success: true
        case .failure(let error): (error as? RedisError)?.code == .server
        }
    }
}
