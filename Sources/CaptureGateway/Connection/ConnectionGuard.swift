import BoundedHTTP
import NIOCore
import NIOHTTP1

/// Answers input that never becomes a request, and closes the connection cleanly when a client is refused in the middle
/// of a body.
///
/// - A head that is not valid HTTP, or too large, is answered in the envelope like every other failure.
/// - An answer that comes before its request's end closes the connection afterwards: otherwise a refused upload would
///   be read to its end, however long its sender makes it. The closing lingers, so that the client gets to read the
///   answer; see ``LingeringClose``.
/// - A connection over the limit is answered, too, and so is a request over its client's limit; see
///   ``ConnectionLimit``.
/// - A client that takes nothing of its answers is the next to give way, and after a while its connection ends; soon
///   when the server stops, which waits for answers that have begun.
/// - A client that has closed its side gets its answers to their ends; see ``UnwrittenAnswers``.
/// - `100 Continue` goes out when a route has decided that it wants the body (RFC 9110 section 10.1.1).
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limit: ConnectionLimit
    private let proxies: TrustedProxies
    private let refusals: Refusals
    private let closing: LingeringClose
    private let unwritten: UnwrittenAnswers
    private var place: ConnectionLimit.Place?
    private var state = ConnectionGuardState()
    /// Whether a request was one too many for its client.
    private var isRefused = false
    private var stall: Stall
    /// How long the client may take nothing of what is written while the server stops.
    private let stopMax: Duration

    /// - Parameter stallMax: How long the client may take nothing of what is written.
    init(
        linger: Linger, stallMax: Duration, limit: ConnectionLimit, proxies: TrustedProxies, refusals: Refusals
    ) {
        stall = Stall(max: stallMax)
        // A second less than a program's cancelled tasks have, one of which may wait for this.
        stopMax = min(stallMax, linger.duration, .seconds(4))
        self.limit = limit
        self.proxies = proxies
        self.refusals = refusals
        closing = LingeringClose(linger: linger, stallMax: stallMax)
        unwritten = UnwrittenAnswers(stallMax: stallMax, stopMax: stopMax)
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        let place = limit.enter(client: proxies.client(ofConnectionFrom: peer)) { channel.close(promise: nil) }
        self.place = place
        refusals.note(place.admission)
        switch place.admission {
        case .admitted: break
        case .refused, .overShare(isTold: true):
            state.refuseConnection()
            answer(refusals.tooManyConnections(), context)
        case .dropped, .overShare(isTold: false): context.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let place { limit.leave(place) }
        place = nil
        stall.cancel()
        closing.cancel()
        unwritten.cancel()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall.note(context)
        tellWhetherIdle()
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .head(let head) = part, state.takesRequests {
            if let why = head.whyUnreadable { return refuseHead(why, of: head.method, context) }
            if isOneTooMany() { return refuse(head, context) }
        }
        let reading = state.read(part)
        tellWhetherIdle()
        guard reading == .discard else { return context.fireChannelRead(data) }
        closing.discard(part, context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        readRest(context)
    }

    /// Reads on behind the last answer: the server does not while it has parts of a body that no route takes.
    private func readRest(_ context: ChannelHandlerContext) {
        if state.isClosing { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        // After the last answer nobody is left to tell. In the middle of a request its route is told of the fault.
        guard state.takesRequests else { return }
        if state.isMidRequest { context.fireErrorCaught(error) } else { refuseHead(.notHTTP, of: nil, context) }
    }

    /// Answers a head that cannot be read, once the answers to earlier requests are written.
    private func refuseHead(_ why: APIError, of method: HTTPMethod?, _ context: ChannelHandlerContext) {
        state.refuseHead(why, of: method)
        answerRefusedHead(context)
    }

    private func answerRefusedHead(_ context: ChannelHandlerContext) {
        guard let why = state.dueRefusal() else { return }
        tellWhetherIdle()
        answer(refusals.unreadableHead(why), hasBody: state.refusalHasBody, context)
    }

    /// Whether the client of an idle connection has all the requests under way that it may have, on other connections.
    private func isOneTooMany() -> Bool {
        guard let place, state.isIdle, !stall.isOn else { return false }
        return !limit.note(place, isIdle: false)
    }

    /// Answers a request that is one too many; until it is closed, the connection is among those that give way.
    private func refuse(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        state.refuseRequest()
        isRefused = true
        refusals.note(.overShare(isTold: true))
        answer(refusals.tooManyConnections(), hasBody: head.method != .HEAD, context)
    }

    /// Writes the connection's only, or last, answer.
    private func answer(_ refusal: Refusal, hasBody: Bool = true, _ context: ChannelHandlerContext) {
        var head = HTTPResponseHead(version: .http1_1, status: refusal.status, headers: refusal.headers)
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        head.headers.replaceOrAdd(name: "Content-Length", value: String(refusal.body.count))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        // RFC 9110 section 9.3.2.
        if hasBody { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: refusal.body)))), promise: nil) }
        finish(context, trailers: nil, promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let answer):
            var head = state.readable(answer)
            let asksToClose = head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
            let isLast = state.writeHead(
                isInformational: (100..<200).contains(head.status.code), asksToClose: asksToClose)
            if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            readRest(context)
        case .body(let bytes):
            context.write(wrapOutboundOut(.body(bytes)), promise: promise)
        case .end(let trailers):
            let isLast = state.writeEnd()
            tellWhetherIdle()
            if isLast {
                finish(context, trailers: trailers, promise: promise)
            } else {
                context.write(wrapOutboundOut(.end(trailers)), promise: unwritten.begin(context, promise: promise))
                answerRefusedHead(context)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            unwritten.stopServer()
            stall.shorten(to: stopMax, context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        unwritten.close(context, mode: mode, promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if event is BodyWanted, state.wantsContinue() {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    private func tellWhetherIdle() {
        // Input after a refused request is thrown away, and needs no place.
        guard let place, !isRefused else { return }
        limit.note(place, isIdle: state.isIdle || stall.isOn)
    }

    /// Ends the answer, then the output, and after a while the connection.
    private func finish(_ context: ChannelHandlerContext, trailers: HTTPHeaders?, promise: EventLoopPromise<Void>?) {
        let written = unwritten.begin(context, promise: promise)
        closing.begin(context.channel, after: written.futureResult, isMidRequest: state.isMidRequest)
        context.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: written)
    }
}
