import DequeModule
import NIOCore

/// The effects of a link, on its event loop: connects, writes, answers, retries, gives up.
///
/// What to do is decided by ``LinkLifecycle`` and ``CommandPipeline``. Everything here runs on one event loop and never
/// on the cooperative pool, so that a lease can be renewed while the pool is busy.
///
/// This file has the commands; what has a file of its own is the connection, the deadlines and the end. The state is
/// theirs together, and nobody else's.
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
    /// Until when commands wait for a connection while there is none.
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
        // A flush may find the connection broken: what is in flight has failed then, and nothing may join it.
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
            // A blocking read that nobody waits for would swallow what comes next: its connection goes with it.
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
            // Before the caller hears of it, whose next command may go over another link.
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
    /// Such a server keeps its clients and refuses whatever they write, for ever. Another connection to the same
    /// address may lead to the new primary.
    private func noteDemotion(_ refusal: RedisServerError?) {
        if demotion.hear(refusal) { gauge.isUp = false }
    }

    /// Leaves the server as well where another connection of the client was refused.
    private func followDemotion() {
        guard lifecycle.isUp, demotion.follow() else { return }
        gauge.isUp = false
        leaveDemoted()
    }

    /// Leaves a server that is no primary any more, once what is under way has its answers.
    private func leaveDemoted() {
        guard let fault = demotion.fault, pipeline.inFlight.isEmpty else { return }
        handler?.close(because: fault)
    }

    /// Has messages of subscriptions handed out instead of taken for answers.
    func receiveMessages(_ subscriber: @escaping (RedisValue) -> Void) {
        // A link that is over would keep whoever hears of it, and with it itself.
        if lifecycle.refusal == nil { self.subscriber = subscriber }
    }

    /// Large payloads are passed on at once, so that writability is felt between them.
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
