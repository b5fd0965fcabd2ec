import NIOCore

/// Stands between a channel and its link: bytes become replies, commands become bytes.
///
/// Lives on the channel's event loop. It decides nothing: the link acts on replies, faults and writability.
final class RedisChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let link: LinkCore
    private let isOverTLS: Bool
    /// Whether the first command has left, before which the client counts the TLS handshake as done.
    private var hasSent = false
    private var hasHeard = false
    private var reader: ReplyReader
    private var encoder: CommandEncoder
    private var context: ChannelHandlerContext?
    /// Why the channel is closed or being closed.
    private(set) var fault: RedisError?

    /// - Throws: ``ReplyFault`` if there is no memory for the parser.
    init(link: LinkCore, isOverTLS: Bool, limits: ReplyLimits, allocator: ByteBufferAllocator) throws(ReplyFault) {
        self.link = link
        self.isOverTLS = isOverTLS
        self.reader = try ReplyReader(limits: limits)
        self.encoder = CommandEncoder(allocator: allocator)
    }

    /// Whether the channel is connected and nobody has closed it.
    var isActive: Bool { fault == nil && context?.channel.isActive ?? false }

    /// Whether the transport takes more bytes before its own buffer is full.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Encodes a command behind those before it; ``flush()`` sends them.
    func write(_ payload: PendingCommand<Waiter>.Payload) {
        switch payload {
        case .one(let command): encoder.append(command)
        case .several(let commands): for command in commands { encoder.append(command) }
        }
    }

    /// Sends everything written since the last time, in as few system calls as the transport manages.
    func flush() {
        guard let context else { return }
        for part in encoder.take() { context.write(wrapOutboundOut(part), promise: hasSent ? nil : sent(context)) }
        context.flush()
    }

    /// Closes the channel and tells the link at once: TLS takes seconds to say goodbye to a peer that is silent.
    func close(because fault: RedisError) {
        let reason = self.fault ?? fault
        self.fault = reason
        context?.close(promise: nil)
        link.channelClosed(self, reason)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard fault == nil else { return }
        hasHeard = true
        reader.feed(unwrapInboundIn(data))
        do throws(ReplyFault) {
            while fault == nil, let reply = try reader.next() { link.received(reply) }
        } catch {
            close(because: error.error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Replies made room in the pipeline: one flush writes all commands that fit now.
        link.pump()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { link.pump() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        let reason = fault ?? certificateFault ?? RedisError(.connection, "the server closed the connection")
        fault = reason
        link.channelClosed(self, reason)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let fault = RedisError(connecting: error)
        close(because: fault.isOfTLS ? fault : certificateFault ?? fault)
    }

    /// What an end without any answer behind the handshake means.
    ///
    /// With TLS 1.3 a server looks at the client's certificate after the client counts the handshake as done (RFC 8446,
    /// figure 1). Its alert is lost if it closes a connection whose first command it has not read.
    private var certificateFault: RedisError? {
        guard isOverTLS, hasSent, !hasHeard else { return nil }
        return RedisError(
            .connection,
            "TLS: the server closed the connection right after the handshake; "
                + "it may not accept this client's certificate, or want one", isOfTLS: true)
    }

    private func sent(_ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { self.hasSent = true }
        return promise
    }
}
