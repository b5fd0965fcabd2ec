import Backoff
package import CaptureModel
package import CaptureQueue
package import Logging
import NIOCore
package import RedisClient
import ServiceLifecycle

/// State changes as the functions publish them, from one subscription for the whole process.
///
/// A subscription that was made, or lost and made again, or that had more to tell than was listened to, ends all
/// streams: whoever waits on one looks at the state once more, instead of waiting in vain for a change that nobody
/// heard.
///
/// A subscription writes nothing, and so hears only from its client that the server has become a replica. Give it one
/// that others write with, as a gateway's challenges and reconciler do: with a client that never writes, changes are
/// heard after a failover once somebody cuts its connections.
package final class RedisStateChanges: StateChanges, Service {
    private let client: RedisClient
    private let keyspace: Keyspace
    private let watchers: Watchers
    private let logger: Logger
    /// The pauses between two attempts to subscribe: changes are heard again within the longest after an outage.
    private static let backoff = Backoff(base: .milliseconds(100), cap: .milliseconds(500))

    /// Subscribes to nothing before ``run()``.
    /// - Parameters:
    ///   - client: The queue's server.
    ///   - keyspace: The queue's.
    ///   - watchersMax: How many may wait for a capture each at a time; one may hear all beside them.
    ///   - bufferMax: How many changes wait for the watcher of all captures; one more ends its stream.
    ///   - logger: Told when the subscription is lost and when it is back.
    package init(
        client: RedisClient, keyspace: Keyspace = .standard, watchersMax: Int = 10_000, bufferMax: Int = 1_024,
        logger: Logger
    ) {
        self.client = client
        self.keyspace = keyspace
        self.logger = logger
        watchers = Watchers(watchersMax: watchersMax, bufferMax: bufferMax)
    }

    /// The changes of one capture from now on; `nil` when there are too many watchers already.
    package func changes(of capture: CaptureID) -> AsyncStream<StateChange>? { watchers.add(capture) }

    /// The changes of all captures from now on; `nil` when somebody hears them already.
    package func allChanges() -> AsyncStream<StateChange>? { watchers.add(nil) }

    /// Listens until graceful shutdown or cancellation; a lost subscription is made again.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.listen() }
        watchers.finish()
    }

    /// How long it waits after so many failures in a row.
    ///
    /// By chance, as every gateway has lost the same server at the same moment.
    static func pause(after failures: Int) -> Duration { backoff.delay(attempt: failures) }

    private func listen() async {
        var failures = 0
        while !Task.isCancelled {
            do throws(RedisError) {
                let subscription = try await client.subscribe(to: keyspace.all.map(\.events))
                var messages = subscription.makeAsyncIterator()
                var dropped = 0
                if failures > 0 { logger.notice("state changes are heard again") }
                failures = 0
                // What happened until now was not heard.
                watchers.finish()
                while let message = try await messages.next() {
                    if subscription.droppedCount > dropped {
                        dropped = subscription.droppedCount
                        // More came than the subscription keeps: the oldest were not heard either.
                        watchers.finish()
                    }
                    let text = String(decoding: message.payload.readableBytesView, as: UTF8.self)
                    for change in StateChange.changes(in: text) { watchers.tell(change) }
                }
                return
            } catch {
                failures += 1
                if failures == 1, !Task.isCancelled {
                    logger.warning("state changes are not heard", metadata: ["fault": "\(error)"])
                }
                // Cancellation ends the wait, and the loop with it.
                try? await Task.sleep(for: Self.pause(after: failures))
            }
        }
    }
}
