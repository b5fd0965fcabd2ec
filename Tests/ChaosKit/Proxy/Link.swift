import NIOCore
import NIOPosix
import Synchronization

/// A TCP address of ours that leads to a server's socket, and can be cut, stalled and slowed down.
///
/// Each program of a run reaches each server over a link of its own, so that one of them alone
/// can lose its connections.
package final class Link: Sendable {
    /// What a link does to the bytes that pass it.
    struct Condition: Sendable {
        /// The ways on which nothing goes on for now.
        var stalled: Set<Way> = []
        /// How long each piece is held back.
        var delay: Duration = .zero
    }

    /// Which way bytes go.
    package enum Way: Sendable, CaseIterable {
        /// From the program to the server: questions.
        case toServer
        /// From the server to the program: answers.
        case toProgram
    }

    /// Tells a relay that its way may be free again.
    struct Resumed: Sendable {}

    /// Tells a relay that it passes nothing on any more.
    struct Frozen: Sendable {}

    private struct State {
        /// The server's socket.
        var target: String
        var condition = Condition()
        /// Both ends of every connection under way.
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Those that were cut and are not closed yet.
        var severed: Set<ObjectIdentifier> = []
    }

    private let state: Mutex<State>
    private let listener = Mutex<(any Channel)?>(nil)

    private init(to target: String) {
        state = Mutex(State(target: target))
    }

    /// Opens a link on a free port of 127.0.0.1.
    /// - Parameter socket: The path of the unix socket that it leads to; it need not be there yet.
    package static func open(to socket: String) async throws -> Link {
        let link = Link(to: socket)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // A relay reads when what it read before is written: no more than one piece waits in either direction.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { near in link.join(near) }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        link.listener.withLock { $0 = channel }
        return link
    }

    /// Its port.
    package var port: Int { listener.withLock { $0?.localAddress?.port } ?? 0 }

    /// Closes it for good, and every connection with it.
    package func close() async {
        let channel = listener.withLock { $0 }
        cut()
        // It is closed already when the process ends.
        try? await channel?.close()
    }

    // MARK: Faults

    /// Breaks every connection now; new ones are taken.
    ///
    /// They are closed by their event loops in a moment. What they read until then passes no more, even if the link is
    /// restored before.
    package func cut() {
        let channels = state.withLock { state in
            state.severed.formUnion(state.channels.keys)
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    /// Has every connection that there is pass nothing any more, as one does whose other end has vanished without a
    /// word; new ones are taken and pass everything.
    package func freeze() {
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(Frozen()) }
    }

    /// Has new connections lead to another server's socket; those that there are stay where they are.
    package func redirect(to socket: String) { state.withLock { $0.target = socket } }

    /// Lets nothing pass on some ways until ``restore()``; connections stay open.
    package func stall(_ ways: Set<Way> = Set(Way.allCases)) {
        state.withLock { $0.condition.stalled = ways }
    }

    /// Holds every piece back for a while.
    package func slowDown(by delay: Duration) {
        state.withLock { $0.condition.delay = delay }
    }

    /// Lets everything pass at once again.
    package func restore() {
        state.withLock { $0.condition = Condition() }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(Resumed()) }
    }

    // MARK: Connections

    var condition: Condition { state.withLock { $0.condition } }

    func isSevered(_ channel: any Channel) -> Bool {
        state.withLock { $0.severed.contains(ObjectIdentifier(channel)) }
    }

    private var channels: [any Channel] { state.withLock { Array($0.channels.values) } }

    /// Connects a new connection's other end; its own end becomes active afterwards, and then bytes pass.
    private func join(_ near: any Channel) -> EventLoopFuture<Void> {
        ClientBootstrap(group: near.eventLoop)
            .channelOption(.autoRead, value: false)
            .connect(unixDomainSocketPath: state.withLock { $0.target })
            .flatMapThrowing { far in
                let (nearRelay, farRelay) = (Relay(link: self, way: .toServer), Relay(link: self, way: .toProgram))
                try near.pipeline.syncOperations.addHandler(nearRelay)
                try far.pipeline.syncOperations.addHandler(farRelay)
                self.remember(near)
                self.remember(far)
                nearRelay.join(far)
                farRelay.join(near)
            }
    }

    private func remember(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { $0.channels[id] = channel }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.channels[id] = nil
                state.severed.remove(id)
            }
        }
    }
}
