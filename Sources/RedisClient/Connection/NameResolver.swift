import HostNames
import NIOCore
import NIOPosix
import Synchronization

/// Resolves a host's addresses for NIO while it makes one connection.
///
/// NIO tries the next address when one has not answered for 250 ms, and prefers IPv6 to IPv4. To keep the system's
/// order, all addresses are returned for the one of NIO's two queries that is tried first.
final class NameResolver: Resolver, Sendable {
    private struct State {
        var promise: EventLoopPromise<[SocketAddress]>?
        var question: NameQuestion?
        var isAnswered = false
    }

    private let names: HostNames
    private let eventLoop: any EventLoop
    private let deadline: ContinuousClock.Instant
    private let turn: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - deadline: The deadline of lookup and connection together.
    ///   - turn: Which address comes first, counted round.
    init(_ names: HostNames, on eventLoop: any EventLoop, by deadline: ContinuousClock.Instant, turn: Int) {
        self.names = names
        self.eventLoop = eventLoop
        self.deadline = deadline
        self.turn = turn
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses(of: host, port: port)
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses(of: host, port: port).map { _ in [] }
    }

    func cancelQueries() {
        state.withLock { $0.question }?.withdraw()
        settle { throw ChannelError.ioOnClosedChannel }
    }

    private func addresses(of host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        let fresh = eventLoop.makePromise(of: [SocketAddress].self)
        let asked = state.withLock { state -> EventLoopPromise<[SocketAddress]>? in
            if let promise = state.promise { return promise }
            state.promise = fresh
            return nil
        }
        if let asked {
            fresh.succeed([])
            return asked.futureResult
        }
        ask(for: host, port: port)
        return fresh.futureResult
    }

    private func ask(for host: String, port: Int) {
        let turn = turn
        let question = names.ask(host) { [self] answer in
            settle { try Self.addresses(answer.get().turned(by: turn), port: port) }
        }
        state.withLock { $0.question = question }
        guard !question.known.isEmpty else { return }
        let left = ContinuousClock.now.duration(to: question.waitEnd(by: deadline))
        eventLoop.scheduleTask(in: TimeAmount(left)) { [self] in
            question.withdraw()
            settle { try Self.addresses(question.known.turned(by: turn), port: port) }
        }
    }

    /// Answers NIO, once.
    private func settle(_ answer: () throws -> [SocketAddress]) {
        let promise = state.withLock { state -> EventLoopPromise<[SocketAddress]>? in
            defer { state.isAnswered = true }
            return state.isAnswered ? nil : state.promise
        }
        guard let promise else { return }
        do {
            promise.succeed(try answer())
        } catch {
            promise.fail(error)
        }
    }

    private static func addresses(_ texts: [String], port: Int) throws -> [SocketAddress] {
        try texts.map { text in
            // The system resolves an address with an interface by itself; no name server is asked.
            text.contains("%")
                ? try SocketAddress.makeAddressResolvingHost(text, port: port)
                : try SocketAddress(ipAddress: text, port: port)
        }
    }
}
