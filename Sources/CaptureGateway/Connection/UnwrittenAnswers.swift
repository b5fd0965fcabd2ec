import NIOCore

/// The answers that are complete, but not yet with the kernel: the connection is closed behind them.
///
/// SwiftNIO throws away what is not written when a channel is closed, and takes the closing of its output for that when
/// its client has closed the other side. The server closes the output of such a connection as soon as it has answered,
/// and all connections when it stops.
final class UnwrittenAnswers {
    /// How long the client may take to make room for them.
    private let stallMax: Duration
    /// The same while the server stops, which has no time to lose.
    private let stopMax: Duration
    private var count = 0
    /// The server stops: it closes connections that are in order.
    private var isServerStopping = false
    private var waitingClose: WaitingClose?

    private struct WaitingClose {
        let mode: CloseMode
        let promise: EventLoopPromise<Void>?
        /// Ends a connection whose client does not take its answers.
        let limit: Scheduled<Void>
    }

    init(stallMax: Duration, stopMax: Duration) {
        self.stallMax = stallMax
        self.stopMax = stopMax
    }

    /// Notes that an answer is complete.
    /// - Returns: What its end has to be written with.
    func begin(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) -> EventLoopPromise<Void> {
        count += 1
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((answers: self, context: context), eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.answers.end(bound.value.context) }
        written.futureResult.cascade(to: promise)
        return written
    }

    private func end(_ context: ChannelHandlerContext) {
        count -= 1
        guard count == 0, let close = takeClose() else { return }
        context.close(mode: close.mode, promise: close.promise)
    }

    /// The server closes the connections of which it expects nothing more.
    func stopServer() {
        isServerStopping = true
    }

    /// Closes the connection, or its output, once all is written.
    ///
    /// A connection that is closed altogether is closed at once, as its client was too slow or has to give way, unless
    /// the server stops: that closes a connection after each answer to requests that came before.
    func close(_ context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let mayWait = mode == .output || mode == .all && isServerStopping
        guard mayWait, count > 0 else { return context.close(mode: mode, promise: promise) }
        if let waitingClose, mode == .output || waitingClose.mode == .all {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        takeClose()?.promise?.fail(ChannelError.alreadyClosed)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let time = TimeAmount(isServerStopping ? stopMax : stallMax)
        let limit = context.eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
        waitingClose = WaitingClose(mode: mode, promise: promise, limit: limit)
    }

    /// The connection is closed.
    func cancel() {
        takeClose()?.promise?.succeed()
    }

    private func takeClose() -> WaitingClose? {
        defer { waitingClose = nil }
        waitingClose?.limit.cancel()
        return waitingClose
    }
}
