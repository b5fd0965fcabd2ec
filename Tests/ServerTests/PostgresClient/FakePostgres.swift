import NIOCore
import NIOPosix
import Synchronization

/// A server that speaks just enough of PostgreSQL's protocol: it opens sessions, lets them have their limits,
/// prepares whatever it is given, and answers its execution as a test says.
struct FakePostgres {
    /// How it answers a statement.
    enum Answer: Sendable {
        /// It refuses, with this SQLSTATE.
        case refusal(String)
        /// It is done; this is its tag.
        case done(String)
        /// It is done, and the session ended by an administrator before it is ready for another.
        case doneAndEnded(String)
    }

    private let channel: any Channel
    private let opened: Opened

    /// How many sessions there were.
    private final class Opened: Sendable {
        let count = Atomic(0)
    }

    /// Where it listens.
    var port: Int? { channel.localAddress?.port }

    /// How to connect to it.
    var conninfo: String {
        "host=127.0.0.1 port=\(port ?? 0) user=capture dbname=capture sslmode=disable gssencmode=disable"
    }

    /// How many sessions there were so far.
    var sessions: Int { opened.count.load(ordering: .relaxed) }

    /// Lends one.
    /// - Parameter refusal: The SQLSTATE with which it refuses everything.
    static func with(
        refusal: String, _ body: (FakePostgres) async throws -> Void
    ) async throws {
        try await with({ _ in .refusal(refusal) }, body)
    }

    /// Lends one.
    /// - Parameter answer: Tells of a statement's name how it is answered.
    static func with(
        _ answer: @escaping @Sendable (String) -> Answer, _ body: (FakePostgres) async throws -> Void
    ) async throws {
        let opened = Opened()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    opened.count.add(1, ordering: .relaxed)
                    let handler = Session(answer: answer)
                    try child.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(FakePostgres(channel: channel, opened: opened))
            try await channel.close().get()
        } catch {
            try await channel.close().get()
            throw error
        }
    }

    /// PostgreSQL manual, "Message Formats".
    private final class Session: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: @Sendable (String) -> Answer
        private var received = ByteBuffer()
        private var hasStarted = false
        /// The name of the statement that is bound.
        private var bound = ""
        private var isEnded = false

        init(answer: @escaping @Sendable (String) -> Answer) {
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            received.writeBuffer(&bytes)
            var answer = ByteBuffer()
            while let kind = takeMessage() { reply(to: kind, in: &answer) }
            if answer.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(answer), promise: nil) }
            if isEnded { context.close(promise: nil) }
        }

        /// Takes the next message off what has come and tells its kind; a session's first one has none.
        private func takeMessage() -> Character? {
            let head = hasStarted ? 1 : 0
            let start = received.readerIndex
            guard let length = received.getInteger(at: start + head, as: Int32.self),
                received.readableBytes >= head + Int(length)
            else { return nil }
            let kind = hasStarted ? received.getInteger(at: start, as: UInt8.self) ?? 0 : 0
            if kind == UInt8(ascii: "B") {
                // Two names, of the portal and of the statement.
                let names = received.getSlice(at: start + 5, length: Int(length) - 4)?.readableBytesView.split(
                    separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
                bound = names.map { String(decoding: $0[1], as: UTF8.self) } ?? ""
            }
            received.moveReaderIndex(forwardBy: head + Int(length))
            hasStarted = true
            return Character(Unicode.Scalar(kind))
        }

        private func reply(to kind: Character, in answer: inout ByteBuffer) {
            switch kind {
            case "\0":
                // AuthenticationOk
                write("R", into: &answer) { $0.writeInteger(Int32(0)) }
                writeReady(into: &answer)
            case "Q":
                write("C", into: &answer) { $0.writeString("SELECT 1\0") }
                writeReady(into: &answer)
            case "P": write("1", into: &answer) { _ in }
            case "E": execute(&answer)
            case "S" where !isEnded: writeReady(into: &answer)
            default: break
            }
        }

        private func execute(_ answer: inout ByteBuffer) {
            switch self.answer(bound) {
            case .refusal(let state): refuse(state, "ERROR", in: &answer)
            case .done(let tag): write("C", into: &answer) { $0.writeString("\(tag)\0") }
            case .doneAndEnded(let tag):
                write("C", into: &answer) { $0.writeString("\(tag)\0") }
                refuse("57P01", "FATAL", in: &answer)
                isEnded = true
            }
        }

        private func refuse(_ state: String, _ severity: String, in answer: inout ByteBuffer) {
            write("E", into: &answer) { $0.writeString("S\(severity)\0V\(severity)\0C\(state)\0Mrefused\0\0") }
        }

        private func writeReady(into answer: inout ByteBuffer) {
            write("Z", into: &answer) { $0.writeString("I") }
        }

        private func write(_ kind: Character, into answer: inout ByteBuffer, _ write: (inout ByteBuffer) -> Void) {
            var body = ByteBuffer()
            write(&body)
            answer.writeString(String(kind))
            answer.writeInteger(Int32(body.readableBytes + 4))
            answer.writeBuffer(&body)
        }
    }
}
