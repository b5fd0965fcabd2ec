import NIOCore
import NIOHTTP1

/// Stands before the parser, so that little is kept of what a client sends ahead of its answers.
///
/// - Later requests wait as bytes until the one before is answered, and further ones in the kernel: a parsed request
///   takes ten times its bytes. Only after the client has closed its side can more arrive than may wait; the rest is
///   dropped.
/// - Each of these waits for its turn among those of the event loop (``PipelineTurns``).
/// - Of requests that the parser got with the end of a body in chunks only the first is answered, as the connection's
///   last one.
/// - Of a body that nobody has asked for (``BodyWanted``) only the beginning is read, until its request is answered.
///   What the kernel has of it is read earlier if the client closes its side: SwiftNIO then reads all that is there.
/// - Bytes after `CONNECT` or a request to upgrade are not read: the parser would keep all of them.
/// - When the parser delivers nothing from a client's bytes, as with blanks before a field's value, the connection is
///   closed.
final class RequestGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The most bytes that wait.
    ///
    /// One read delivers less, but the kernel's whole buffer is read after the client has closed its side.
    private static let heldBytesMax = 64 << 10

    private let unparsedBytesMax: Int
    private let turns: NIOLoopBound<PipelineTurns>
    /// The number by which it waits for its turn.
    private var turn: Int?
    private var context: ChannelHandlerContext?
    private var flow = RequestFlow()
    private var held = ByteBuffer()
    private var isHandingOn = false
    /// More bytes came than may wait: the connection ends once the waiting requests are answered.
    private var isCut = false
    /// A read was requested and waits until nothing is held, and until somebody asks for the body that is coming.
    private var isReadWanted = false
    /// The client has closed its side; the handlers behind are told when nothing is held.
    private var isInputClosed = false

    /// - Parameters:
    ///   - unparsedBytesMax: How many bytes the parser may get before it delivers a part: the largest head.
    ///   - turns: Those of the channel's event loop.
    init(unparsedBytesMax: Int, turns: NIOLoopBound<PipelineTurns>) {
        self.unparsedBytesMax = unparsedBytesMax
        self.turns = turns
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Called also when the connection has closed.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        held = ByteBuffer()
        if let turn { turns.value.leave(turn) }
        turn = nil
    }

    // MARK: What the watch sees behind the parser

    /// - Returns: Whether the part is passed on to the handlers that answer.
    func parserMade(_ part: HTTPServerRequestPart) -> Bool {
        flow.read(part)
    }

    /// Whether the latest request that the parser made is the connection's last one.
    var isAtLast: Bool { flow.isAtLast }

    /// - Returns: Whether the failure is passed on to the handlers that answer.
    func parserFailed() -> Bool {
        flow.fail()
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isCut, flow.input == .parsed || flow.input == .held else { return }
        var bytes = unwrapInboundIn(data)
        if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
        handOn(context)
        if held.readableBytes > Self.heldBytesMax {
            isCut = true
            held = ByteBuffer(bytes: held.readableBytesView.prefix(Self.heldBytesMax))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if held.readableBytes > 0, let event = event as? ChannelEvent, event == .inputClosed {
            isInputClosed = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func read(context: ChannelHandlerContext) {
        guard !isCut, flow.input != .unread else { return }
        if held.readableBytes > 0 || flow.isBodyUnasked { isReadWanted = true } else { context.read() }
    }

    /// Reads what was to be read, if nothing is in the way any more.
    private func readOn(_ context: ChannelHandlerContext) {
        guard isReadWanted else { return }
        isReadWanted = false
        read(context: context)
    }

    /// Gives the parser as many bytes as it may get.
    private func handOn(_ context: ChannelHandlerContext) {
        guard !isHandingOn else { return }
        isHandingOn = true
        while flow.input == .parsed, held.readableBytes > 0 {
            guard let piece = held.readSlice(length: flow.pieceBytes(of: held.readableBytesView)) else { break }
            flow.parse(piece.readableBytes)
            context.fireChannelRead(wrapInboundOut(piece))
            if flow.unparsedBytes > unparsedBytesMax { end(context) }
        }
        isHandingOn = false
        // The buffer's storage is released, too.
        if held.readableBytes == 0 || flow.input != .held { held = ByteBuffer() }
    }

    private func end(_ context: ChannelHandlerContext) {
        flow.stop()
        held = ByteBuffer()
        context.close(promise: nil)
    }

    /// Ends the connection once its client has the answers: whoever keeps them from being cut off is a handler further
    /// behind, and the input is closed already.
    private func endBehindAnswers(_ context: ChannelHandlerContext) {
        flow.stop()
        held = ByteBuffer()
        context.channel.close(mode: .output, promise: nil)
    }

    // MARK: Out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard flow.isAnswerDue else {
            promise?.succeed()
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if flow.isLastAnswer(head) { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            flow.writeHead(head)
            readOn(context)
        case .body(let bytes):
            context.write(wrapOutboundOut(.body(bytes)), promise: promise)
        case .end(let trailers):
            context.write(wrapOutboundOut(.end(trailers)), promise: promise)
            flow.writeEnd()
            guard held.readableBytes > 0 || isCut, turn == nil else { return }
            // It goes on in a task, even at once: the handler that writes must finish with this answer before the next
            // request reaches it.
            turn = turns.value.join { self.goOn() }
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        flow.askForBody()
        readOn(context)
        promise?.succeed()
    }

    /// After an answer, goes on with the held bytes.
    private func goOn() {
        turn = nil
        guard let context, held.readableBytes > 0 || isCut else { return }
        handOn(context)
        context.fireChannelReadComplete()
        guard held.readableBytes == 0 else { return }
        if isCut {
            // The rest of the last request was dropped, so that it is never passed on.
            if flow.input == .parsed { endBehindAnswers(context) }
            return
        }
        if isInputClosed {
            isInputClosed = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        readOn(context)
    }
}
