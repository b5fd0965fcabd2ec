import NIOCore
import Synchronization

/// Carries messages from a link to the reader of a subscription, and asks the link now and then whether it lives.
final class MessageRelay: Sendable {
    /// Held while a message is passed on, so that whoever reads it learns of those that it displaced.
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

    /// Passes a message on, and counts the one that had to go for it.
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
    /// A subscriber never writes, so it would wait for ever on a server that vanished without a word. RESP2 allows
    /// `PING` on a subscribed connection and answers it in the order of commands; a late answer closes the link.
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

    /// A server that refuses to answer is there all the same, as one whose script takes long (`BUSY`); anything else
    /// has closed the link.
    private static func isSignOfLife(_ result: Result<RedisValue, any Error>) -> Bool {
        switch result {
        case .success: true
        case .failure(let error): (error as? RedisError)?.code == .server
        }
    }
}
