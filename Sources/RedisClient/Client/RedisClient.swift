package import HostNames
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization

/// A client that keeps pipelined connections to one server and makes them again when they are lost.
///
/// ```swift
/// let redis = RedisClient(configuration: try RedisConfiguration(url: url), eventLoopGroup: group, logger: logger)
/// // … add `redis` to the ServiceGroup, then from any task:
/// let reply = try await redis.send(RedisCommand("GET", ["greeting"]))
/// ```
///
/// - A command waits for room in the pipeline at most ``RedisConfiguration/sendTimeout``, and then fails with `busy`; for
///   a lost connection it waits at most until ``RedisConfiguration/reconnectGrace`` after the loss, and then fails with
///   `connection`. It was never written then. Once written it fails with `outcomeUnknown` if the connection drops and
///   with `timeout` if the answer is late; nothing is ever sent twice.
/// - Commands of one task run in its order; those of different tasks in any order.
/// - A cancelled task gets `cancelled` at once; a command already written still runs.
/// - Once a write is refused because the server has become a replica, every connection leaves it, subscriptions
///   included. From then on the client connects to no replica: the same address leads to the new primary.
///
/// ## Topics
/// ### Commands
/// - ``send(_:timeout:)``, ``pipeline(_:timeout:onWritten:)``, ``sendFuture(_:timeout:)``, ``ping()``
/// ### Connections of one's own
/// - ``openConnection(within:)``, ``subscribe(to:)``
/// ### Life
/// - ``run()``
package final class RedisClient: Service, Sendable {
    private let opener: ConnectionOpener
    private let eventLoopGroup: any EventLoopGroup
    private let links: [RedisLink]
    private let turn = Atomic<Int>(0)
    private let slots: DedicatedSlots
    private let dedicatedReachability: Reachability
    private let demotions: Demotions

    /// Prepares a client; nothing is connected before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: Address, log-in and bounds; checked by ``run()``.
    ///   - eventLoopGroup: Does all input and output, and is not shut down by the client.
    ///   - connections: How many pipelined connections to keep, at least one. One is enough until the server or the
    ///     event loop is the limit; keep large payloads on a client of their own, as they delay what follows them.
    ///   - logger: Hears once when the server is lost and once when it is back; also, as critical, what is wrong with
    ///     TLS.
    ///   - names: Finds the addresses of its host.
    package init(
        configuration: RedisConfiguration, eventLoopGroup: any EventLoopGroup, connections: Int = 1, logger: Logger,
        names: HostNames = .system
    ) {
        let opener = ConnectionOpener(configuration: configuration, names: names, logger: logger)
        let reachability = Reachability(logger: logger)
        let demotions = Demotions()
        self.opener = opener
        self.eventLoopGroup = eventLoopGroup
        links = (0..<max(1, connections)).map { _ in
            let options = LinkOptions(
                reconnects: true, closesOnCancel: false, reachability: reachability, demotions: demotions)
            return RedisLink(options: options, opener: opener, eventLoop: eventLoopGroup.next())
        }
        slots = DedicatedSlots(configuration.dedicatedConnectionsMax)
        dedicatedReachability = reachability
        self.demotions = demotions
    }

    // MARK: Life

    /// Keeps the connections until graceful shutdown or cancellation.
    ///
    /// Graceful shutdown takes no more commands and waits on all connections at once for the answers to those it has,
    /// at most for the longest of their timeouts. Cancellation does not wait. An outage of the server does not end it.
    ///
    /// - Throws: ``RedisError`` with code `configuration`, before anything is connected.
    package func run() async throws {
        try opener.check()
        for link in links { link.start() }
        do {
            try await gracefulShutdown()
            await withTaskCancellationHandler {
                for link in links { link.drain() }
                for link in links { await link.closed() }
            } onCancel: {
                closeAll()
            }
        } catch {
            closeAll()
            for link in links { await link.closed() }
        }
    }

    private func closeAll() {
        for link in links { link.close(LinkLifecycle.shutDown) }
    }

    // MARK: Commands

    /// Sends a command and waits for its reply.
    ///
    /// - Parameters:
    ///   - command: What to send; never one that blocks, which would delay all commands after it.
    ///   - timeout: Longest time from writing to the reply; `nil` for ``RedisConfiguration/commandTimeout``.
    /// - Throws: ``RedisError``; error replies as `server`.
    package func send(_ command: RedisCommand, timeout: Duration? = nil) async throws(RedisError) -> RedisValue {
        try await nextLink().send(command, timeout: timeout)
    }

    /// Sends commands in one write and waits for all replies, in order; error replies are values.
    ///
    /// Not a transaction: commands of other callers may run in between unless these are `MULTI` … `EXEC`.
    ///
    /// - Parameters:
    ///   - commands: What to send, as in ``send(_:timeout:)``.
    ///   - timeout: Longest time from writing to the last reply.
    ///   - onWritten: Called on the event loop after the attempt to write them, before any reply is read; for faults
    ///     that a test run has armed.
    /// - Throws: ``RedisError``, never with code `server`.
    package func pipeline(
        _ commands: [RedisCommand], timeout: Duration? = nil, onWritten: (@Sendable () -> Void)? = nil
    ) async throws(RedisError) -> [RedisValue] {
        try await nextLink().pipeline(commands, timeout: timeout, onWritten: onWritten)
    }

    /// Sends a command without the cooperative pool: everything happens on an event loop, reconnecting included.
    ///
    /// The future fails with ``RedisError``; error replies as `server`.
    package func sendFuture(_ command: RedisCommand, timeout: Duration? = nil) -> EventLoopFuture<RedisValue> {
        nextLink().sendFuture(command, timeout: timeout)
    }

    /// The default timeout of a command.
    package var commandTimeout: Duration { opener.configuration.commandTimeout }

    /// The user that it logs in as; `nil` for the server's `default` user.
    package var username: String? { opener.configuration.username }

    /// Checks that the server answers.
    ///
    /// - Throws: ``RedisError``: why it does not.
    package func ping() async throws(RedisError) {
        _ = try await send(RedisCommand("PING"))
    }

    /// For tests: whether some connection is up at this moment.
    package var isConnected: Bool { links.contains { $0.gauge.isUp } }

    /// For tests: commands accepted and not yet answered, over all pipelined connections.
    package var outstandingCommands: Int { links.reduce(0) { $0 + $1.gauge.outstanding } }

    /// The links take turns: first those of the event loop that this runs on, as their answers wake no other thread;
    /// those that are down only if all are.
    private func nextLink() -> RedisLink {
        guard links.count > 1 else { return links[0] }
        let first = Int(UInt(bitPattern: turn.add(1, ordering: .relaxed).oldValue) % UInt(links.count))
        var other: RedisLink?
        for offset in 0..<links.count {
            let link = links[(first + offset) % links.count]
            guard link.gauge.isUp else { continue }
            if link.eventLoop.inEventLoop { return link }
            other = other ?? link
        }
        return other ?? links[first]
    }

    // MARK: Connections of one's own

    /// Opens a connection outside the pipelines, to be closed by the caller.
    ///
    /// - Parameter limit: Longest time for it, where that is less than ``RedisConfiguration/connectTimeout``.
    /// - Throws: ``RedisError``: why there is no connection; `backlogFull` beyond
    ///   ``RedisConfiguration/dedicatedConnectionsMax``.
    package func openConnection(within limit: Duration? = nil) async throws(RedisError) -> RedisConnection {
        let (link, slot) = try await openLink(within: limit)
        return RedisConnection(link: link, slot: slot)
    }

    func openLink(within limit: Duration? = nil) async throws(RedisError) -> (RedisLink, DedicatedSlot) {
        var opener = opener
        if let limit { opener.configuration.connectTimeout = min(limit, opener.configuration.connectTimeout) }
        try opener.check()
        let slot = try slots.take()
        let options = LinkOptions(
            reconnects: false, closesOnCancel: true, reachability: dedicatedReachability, demotions: demotions)
        let link = RedisLink(options: options, opener: opener, eventLoop: eventLoopGroup.next())
        try await link.open()
        return (link, slot)
    }

    /// Listens to channels on a connection outside the pipelines.
    ///
    /// Messages published from the moment this returns are delivered, until the connection is lost.
    ///
    /// - Throws: ``RedisError``: why there is no subscription.
    package func subscribe(to channels: [String]) async throws(RedisError) -> RedisSubscription {
        guard !channels.isEmpty else { throw RedisError(.configuration, "a subscription needs a channel") }
        let (link, slot) = try await openLink()
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: RedisMessage.self, throwing: (any Error).self,
            bufferingPolicy: .bufferingNewest(opener.configuration.subscriptionBufferMax)
        )
        let relay = MessageRelay(continuation, link: link, slot: slot)
        link.receiveMessages { relay.receive($0) }
        do throws(RedisError) {
            try await link.subscribe(to: channels)
        } catch {
            link.close(error)
            throw error
        }
        relay.watch(pingInterval: TimeAmount(opener.configuration.subscriptionPingInterval))
        return RedisSubscription(stream: stream, relay: relay)
    }
}
