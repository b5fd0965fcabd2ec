import BoundedHTTP
import NIOCore
import NIOHTTP1

/// Closes a connection behind its last answer so that the client gets to read it, and not a reset (RFC 9112
/// section 9.6).
///
/// A bounded rest of the input is thrown away meanwhile. Output is closed when the client has sent its request or
/// pauses: many clients take the end of the stream in mid-request for a lost connection.
final class LingeringClose {
    private let linger: ConnectionGuard.Linger
    /// How long the client may take nothing of the answer.
    private let stallMax: Duration
    private var bytesDiscarded = 0
    /// Whether anything was read since the last check for a pause.
    private var hasReadSince = false
    /// The last answer is written.
    private var isAnswered = false
    /// The client is still sending a request.
    private var isMidRequest = false
    private var isOutputClosed = false
    /// Ends a connection whose last answer is given.
    private var forcedClose: Scheduled<Void>?

    init(linger: ConnectionGuard.Linger, stallMax: Duration) {
        self.linger = linger
        self.stallMax = stallMax
    }

    /// Throws away what comes behind, or during, the last answer; too much of it ends the connection.
    func discard(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        hasReadSince = true
        if case .end = part { isMidRequest = false }
        if case .body(let bytes) = part { bytesDiscarded += bytes.readableBytes }
        if bytesDiscarded > linger.bytesMax { context.close(promise: nil) }
        if case .end = part, isAnswered { closeOutput(context.channel) }
    }

    /// Closes the output once the answer is written, and the connection after a while.
    /// - Parameters:
    ///   - written: Succeeds with the end of the answer.
    ///   - isMidRequest: Whether the client is still sending a request.
    func begin(_ channel: any Channel, after written: EventLoopFuture<Void>, isMidRequest: Bool) {
        self.isMidRequest = isMidRequest
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        // The client may never take it.
        forcedClose = channel.close(after: stallMax)
        written.whenComplete { _ in
            let closing = bound.value
            closing.isAnswered = true
            closing.closeOutputAfterPause(channel, bound)
            closing.forcedClose?.cancel()
            guard channel.isActive else { return }
            closing.forcedClose = channel.close(after: closing.linger.duration)
        }
    }

    /// The connection is closed.
    func cancel() {
        forcedClose?.cancel()
    }

    /// Closes the output when nothing has come for the length of a pause, at once when the request is complete.
    private func closeOutputAfterPause(_ channel: any Channel, _ bound: NIOLoopBound<LingeringClose>) {
        guard channel.isActive, !isOutputClosed else { return }
        guard isMidRequest else { return closeOutput(channel) }
        hasReadSince = false
        channel.eventLoop.scheduleTask(in: TimeAmount(linger.pause)) {
            let closing = bound.value
            if closing.hasReadSince {
                closing.closeOutputAfterPause(channel, bound)
            } else {
                closing.closeOutput(channel)
            }
        }
    }

    private func closeOutput(_ channel: any Channel) {
        guard !isOutputClosed else { return }
        isOutputClosed = true
        channel.close(mode: .output, promise: nil)
    }
}

extension ConnectionGuard {
    /// How long and how much is read after the last answer, and the pause after which its sender is taken to be done.
    struct Linger: Sendable {
        let duration: Duration
        let pause: Duration
        let bytesMax: Int
    }
}
