import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

/// Answers HTTP requests on a loopback port with what a test wrote down, and notes what was asked.
final class ScriptedGateway: Sendable {
    struct Answer: Sendable {
        var status: HTTPResponseStatus
        var headers: HTTPHeaders = [:]
        var body: String
        /// Given when the head is read, and nothing is read after it.
        var isEarly = false
        /// Promised by its head, and never sent.
        var isHeadOnly = false

        /// To whoever asks for a challenge.
        static let challenge = Answer(
            status: .ok, body: #"{"data": {"challenge": "AQID", "expires_at": "2026-11-21T05:00:00.000Z"}, "meta": {}}"#
        )
    }

    struct Asked: Sendable {
        var head: HTTPRequestHead
        var body: ByteBuffer
    }

    private struct State {
        var answers: [Answer]
        var asked: [Asked] = []
    }

    private let state: Mutex<State>

    private init(_ answers: [Answer]) {
        state = Mutex(State(answers: answers))
    }

    /// Everything that was asked so far.
    var asked: [Asked] { state.withLock { $0.asked } }

    /// Serves while a test asks; the last answer is given again and again.
    static func serving<Value: Sendable>(
        _ answers: [Answer], _ body: (_ gateway: ScriptedGateway, _ url: String) async throws -> Value
    ) async throws -> Value {
        let gateway = ScriptedGateway(answers)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(gateway))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let value = try await body(gateway, "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
            try await channel.close()
            return value
        } catch {
            try await channel.close()
            throw error
        }
    }

    /// The next answer, if it does not wait for the request's body.
    private func earlyAnswer(_ asked: Asked) -> Answer? {
        state.withLock { $0.answers[0].isEarly } ? answer(asked) : nil
    }

    private func answer(_ asked: Asked) -> Answer {
        state.withLock { state in
            state.asked.append(asked)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let gateway: ScriptedGateway
        private var asked: Asked?

        init(_ gateway: ScriptedGateway) {
            self.gateway = gateway
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                let asked = Asked(head: head, body: ByteBuffer())
                self.asked = asked
                guard let answer = gateway.earlyAnswer(asked) else { return }
                // Set at once, as this is the channel's own event loop.
                context.channel.setOption(.autoRead, value: false).whenFailure { Issue.record($0) }
                write(answer, connection: "close", context)
            case .body(let bytes): asked?.body.writeImmutableBuffer(bytes)
            case .end:
                guard let asked else { return }
                write(gateway.answer(asked), connection: "keep-alive", context)
            }
        }

        private func write(_ answer: Answer, connection: String, _ context: ChannelHandlerContext) {
            var headers = answer.headers
            headers.add(name: "Connection", value: connection)
            headers.add(name: "Content-Length", value: "\(answer.body.utf8.count)")
            let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
            guard !answer.isHeadOnly else {
                context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
                return
            }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

/// A clock on which every sleep is over at once, and is noted.
final class ImmediateClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let sleeps = Mutex<[Duration]>([])
    private let offset = Mutex<Duration>(.zero)

    /// How long each sleep would have been.
    var slept: [Duration] { sleeps.withLock { $0 } }
    var now: Instant { Instant(offset: offset.withLock { $0 }) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        sleeps.withLock { $0.append(deadline.offset - now.offset) }
        offset.withLock { $0 = max($0, deadline.offset) }
    }
}

/// The body of a gateway's answer that refuses.
func refusalBody(_ code: String, details: String = "{}") -> String {
    #"{"error": {"code": "\#(code)", "message": "no", "details": \#(details)}, "meta": {}}"#
}

/// Another error than the one that a test is about.
struct Unexpected: Error {}
