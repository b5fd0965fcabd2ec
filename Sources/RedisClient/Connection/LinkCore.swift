import DequeModule
import NIOCore

/// The effects of a link, on its event loop: connects, writes, answers, retries, gives up.
///
/// What to do is decided by ``LinkLifecycle`` and ``CommandPipeline``. Everything here runs on one event loop and never
/// on the cooperative pool, so that a lease can be renewed while the pool is busy.
///
/// This file has the commands; the connection, the deadlines and the end have files of their own. Only these files use
/// the state.
final class LinkCore {
    typealias Pending = PendingCommand<Waiter>

    let eventLoop: any EventLoop
    let opener: ConnectionOpener
    let gauge: LinkGauge
    let reachability: Reachability
    private let closesOnCancel: Bool
    var lifecycle: LinkLifecycle
    var pipeline: CommandPipeline<Waiter>
    var handler: RedisChannelHandler?
    /// The log-in of the latest connection.
    var logIn: LogIn?
    var alarm: (at: NIODeadline, task: Scheduled<Void>)?
    var retry: Scheduled<Void>?
    /// While there is no connection, commands wait for one until then.
    var graceEnd: NIODeadline?
    var demotion: Demotion
    var subscriber: ((RedisValue) -> Void)?
    var whenUp: EventLoopPromise<Void>?
    var whenClosed: [EventLoopPromise<RedisError>] = []

    init(options: LinkOptions, opener: ConnectionOpener, gauge: LinkGauge, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.opener = opener
        self.gauge = gauge
        reachability = options.reachability
        closesOnCancel = options.closesOnCancel
        demotion = Demotion(options.demotions)
        lifecycle = LinkLifecycle(reconnects: options.reconnects)
        pipeline = CommandPipeline(depthMax: opener.configuration.pipelineDepthMax)
    }

    /// Takes a command, to be written by the next ``pump()``.
    func accept(_ command: Pending) {
        if let refusal = lifecycle.refusal { return finish(command, with: refusal) }
        if let graceEnd, graceEnd <= .now() { return finish(command, with: notSent) }
        pipeline.accept(command)
        setAlarm(for: min(command.sendBy, graceEnd ?? command.sendBy))
    }

    /// Writes whatever may be written, with one flush.
    func pump() {
        followDemotion()
        guard lifecycle.isUp, demotion.fault == nil, let handler else { return }
        let now = NIODeadline.now()
        var hasWritten = false
        // A flush may find the connection broken: the commands in flight have failed then, and none may be added.
        while handler === self.handler, handler.isWritable, let payload = pipeline.nextToWrite(now: now) {
            handler.write(payload)
            hasWritten = true
            if isFlushDue(payload) { handler.flush() }
        }
        guard hasWritten, handler === self.handler else { return }
        handler.flush()
        if let answerBy = pipeline.inFlight.last?.answerBy { setAlarm(for: answerBy) }
    }

    /// Gives up on a command whose caller was cancelled.
    func cancel(_ id: UInt64) {
        let error = RedisError(.cancelled, "the calling task was cancelled")
        switch pipeline.cancel(id) {
        case .none: return
        case .unsent(let command): finish(command, with: error)
        case .written(let waiter):
            waiter?.fail(error)
            // After a blocking read without a caller nothing else would be answered before its time is over: so its
            // connection is closed.
            if closesOnCancel { close(error) }
        }
    }

    /// Takes a reply from the handler.
    func received(_ reply: RedisValue) {
        if let subscriber, Self.isMessage(reply) { return subscriber(reply) }
        switch pipeline.received(reply) {
        case .wait: break
        case .answer(let command, let value):
            release(command)
            // Before the caller gets the reply: its next command may go over another link.
            noteDemotion(value.error)
            command.ticket?.answer(value)
            leaveDemoted()
            finishDraining()
        case .answerAll(let command):
            release(command)
            for reply in command.replies { noteDemotion(reply.error) }
            command.ticket?.answer(command.replies)
            leaveDemoted()
            finishDraining()
        case .unexpected:
            handler?.close(because: RedisError(.protocolViolation, "a reply that nobody asked for"))
        }
    }

    /// Notes that a server which was a primary is a replica now.
    ///
    /// A demoted server keeps its clients and refuses all their writes. Another connection to the same address may
    /// lead to the new primary.
    private func noteDemotion(_ refusal: RedisServerError?) {
        if demotion.hear(refusal) { gauge.isUp = false }
    }

    /// Leaves the server too if another connection of the client was refused.
    private func followDemotion() {
        guard lifecycle.isUp, demotion.follow() else { return }
        gauge.isUp = false
        leaveDemoted()
    }

    /// Leaves a server that is no longer a primary, once the commands in flight are answered.
    private func leaveDemoted() {
        guard let fault = demotion.fault, pipeline.inFlight.isEmpty else { return }
        handler?.close(because: fault)
    }

    /// Passes messages of subscriptions to the subscriber instead of taking them for answers.
    func receiveMessages(_ subscriber: @escaping (RedisValue) -> Void) {
        // A closed link would keep its subscriber, and so itself, in memory.
        if lifecycle.refusal == nil { self.subscriber = subscriber }
    }

    /// Large payloads are flushed at once, so that writability is checked between them.
    private func isFlushDue(_ payload: Pending.Payload) -> Bool {
        guard case .one(let command) = payload else { return true }
        return command.byteCount > CommandEncoder.copiedBytesMax
    }

    private static func isMessage(_ reply: RedisValue) -> Bool {
        guard case .array(let parts) = reply, case .bulk(let kind)? = parts.first else { return false }
        return kind.readableBytesView.elementsEqual("message".utf8)
    }

    private func release(_ command: Pending) {
        gauge.release(commands: command.replyCount, bytes: command.byteCount)
    }

    /// Tells a command that it has failed, and gives its room back.
    func finish(_ command: Pending, with error: RedisError) {
        release(command)
        command.ticket?.fail(error)
    }
}
