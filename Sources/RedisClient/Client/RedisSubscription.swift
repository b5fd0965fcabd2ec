package import NIOCore

/// A message of a channel.
package struct RedisMessage: Sendable, Equatable {
    /// The channel's name.
    package let channel: String
    /// The bytes that were published.
    package let payload: ByteBuffer
}

/// The messages of some channels, from a connection of their own.
///
/// Ends by throwing when the connection is lost, or left because its server has become a replica: messages may have
/// been missed, so a reader that needs them reads the state again and subscribes anew. A reader that lags by more than
/// ``RedisConfiguration/subscriptionBufferMax`` messages loses the oldest; ``droppedCount`` counts them. Cancelling the
/// reading task, or releasing the sequence, closes the connection.
package struct RedisSubscription: AsyncSequence, Sendable {
    private let stream: AsyncThrowingStream<RedisMessage, any Error>
    private let relay: MessageRelay

    init(stream: AsyncThrowingStream<RedisMessage, any Error>, relay: MessageRelay) {
        self.stream = stream
        self.relay = relay
    }

    /// Messages lost so far because the reader was too slow.
    package var droppedCount: Int { relay.droppedCount }

    /// Reads from the oldest message that is kept.
    package func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), relay: relay) }

    /// Reads message by message.
    package struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncThrowingStream<RedisMessage, any Error>.Iterator
        private let relay: MessageRelay

        init(base: AsyncThrowingStream<RedisMessage, any Error>.Iterator, relay: MessageRelay) {
            self.base = base
            self.relay = relay
        }

        /// The next message; `nil` once the reading task is cancelled.
        ///
        /// - Throws: ``RedisError``: why there are no more.
        package mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(RedisError) -> RedisMessage? {
            do {
                return try await base.next(isolation: actor)
            } catch {
                throw RedisError(connecting: error)
            }
        }

        /// The next message; `nil` once the reading task is cancelled.
        ///
        /// - Throws: ``RedisError``: why there are no more.
        package mutating func next() async throws(RedisError) -> RedisMessage? {
            try await next(isolation: #isolation)
        }
    }
}
