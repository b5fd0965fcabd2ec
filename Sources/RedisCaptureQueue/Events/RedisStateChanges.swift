package import CaptureModel
package import CaptureQueue
package import Logging
import NIOCore
package import RedisClient
import ServiceLifecycle
import Waiting

/// State changes as the functions publish them, from one subscription for the whole process.
///
/// When the subscription is made or made again, or has dropped messages, all streams end: a waiter then reads the state
/// again, instead of waiting in vain for a change that was missed.
///
/// A subscription writes nothing, so it learns only from its client's other connections that the server has become a
/// replica. Give it a client that others write with, as a gateway's challenges and reconciler do: with a client that
/// never writes, no change arrives after a failover until its connections are cut.
package final class RedisStateChanges: StateChanges, Service {
    private let client: RedisClient
    private let keyspace: Keyspace
    private let installation: @Sendable () async throws -> InstallationID?
    private let watchers: Watchers
    private let logger: Logger
    /// The pauses between attempts to subscribe: after an outage changes arrive again within the longest pause.
    private static let backoff = Backoff(base: .milliseconds(100), cap: .milliseconds(500))

    /// Subscribes to nothing before ``run()``.
    /// - Parameters:
    ///   - client: The queue's server.
    ///   - keyspace: The queue's keyspace.
    ///   - watchersMax: The most watchers of one capture at a time; one watcher of all is allowed besides.
    ///   - bufferMax: How many changes wait for the watcher of all captures; one more ends its stream.
    ///   - installation: Asked before the first subscription until it answers whose changes are heard; without an id
    ///     those of a queue that has none. Whatever it throws is logged, and it is asked again after a pause.
    ///   - logger: Told when the subscription is lost and when it is back.
    package init(
        client: RedisClient, keyspace: Keyspace = .standard, watchersMax: Int = 10_000, bufferMax: Int = 1_024,
        installation: @escaping @Sendable () async throws -> InstallationID? = { nil }, logger: Logger
    ) {
        self.client = client
        self.keyspace = keyspace
        self.installation = installation
        self.logger = logger
        watchers = Watchers(watchersMax: watchersMax, bufferMax: bufferMax)
    }

    /// The changes of one capture from now on; `nil` when there are too many watchers already.
    package func changes(of capture: CaptureID) -> AsyncStream<StateChange>? { watchers.add(capture) }

    /// The changes of all captures from now on; `nil` when there is such a listener already.
    package func allChanges() -> AsyncStream<StateChange>? { watchers.add(nil) }

    /// Listens until graceful shutdown or cancellation; a lost subscription is made again.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.listen() }
        watchers.finish()
    }

    /// The pause after a number of failures in a row.
    ///
    /// It is random, as all gateways lose the same server at the same moment.
    /// - Parameter chance: A random number from 0 to 1: the place of the pause in its range.
    static func pause(after failures: Int, chance: Double) -> Duration {
        backoff.delay(attempt: failures, chance: chance)
    }

    private func listen() async {
        var failures = 0
        var channels: [String] = []
        while !Task.isCancelled {
            do {
                if channels.isEmpty { channels = try await self.channels() }
                let subscription = try await client.subscribe(to: channels)
                var messages = subscription.makeAsyncIterator()
                var dropped = 0
                if failures > 0 { logger.notice("state changes are heard again") }
                failures = 0
                // Changes before the subscription were missed.
                watchers.finish()
                while let message = try await messages.next() {
                    if subscription.droppedCount > dropped {
                        dropped = subscription.droppedCount
                        // The subscription has dropped messages: their changes were missed.
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
                try? await Task.sleep(for: Self.pause(after: failures, chance: .random(in: 0...1)))
            }
        }
    }

    /// Until a program has put the id back into a Redis that has lost it, the functions publish without it.
    private func channels() async throws -> [String] {
        guard let installation = try await self.installation() else { return keyspace.all.map(\.events) }
        return keyspace.all.flatMap { [$0.events, $0.events(of: installation)] }
    }
}
