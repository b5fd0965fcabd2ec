import DequeModule
import NIOCore

/// The effects of a link, on its event loop: connects, writes, answers, retries, gives up.
///
/// What to do is decided by ``LinkLifecycle`` and ``CommandPipeline``. Everything here runs on one event loop and never
/// on the cooperative pool, so that a lease can be renewed while the pool is busy.
final class LinkCore {
    typealias Pending = PendingCommand<Waiter>

    let eventLoop: any EventLoop
    private let opener: ConnectionOpener
    private let gauge: LinkGauge
    private let reachability: Reachability
    private let closesOnCancel: Bool
    private var lifecycle: LinkLifecycle
    private var pipeline: CommandPipeline<Waiter>
    private var jitter: JitterSequence
    private var handler: RedisChannelHandler?
    private var alarm: (at: NIODeadline, task: Scheduled<Void>)?
    private var retry: Scheduled<Void>?
    /// Until when commands wait for a connection while there is none.
    private var graceEnd: NIODeadline?
    private var demotion: Demotion
    private var subscriber: ((RedisValue) -> Void)?
    private var whenUp: EventLoopPromise<Void>?
    private var whenClosed: [EventLoopPromise<RedisError>] = []

    init(options: LinkOptions, opener: ConnectionOpener, gauge: LinkGauge, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.opener = opener
        self.gauge = gauge
        reachability = options.reachability
        closesOnCancel = options.closesOnCancel
        demotion = Demotion(options.demotions)
        lifecycle = LinkLifecycle(reconnects: options.reconnects)
        pipeline = CommandPipeline(depthMax: opener.configuration.pipelineDepthMax)
        jitter = JitterSequence(seed: options.jitterSeed)
    }

    // MARK: Commands

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
        self.subscriber = subscriber
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

    private func finish(_ command: Pending, with error: RedisError) {
        release(command)
        command.ticket?.fail(error)
    }

    // MARK: Connection

    /// Connects unless that has happened before.
    ///
    /// - Parameter promise: succeeds with the first log-in, fails if the link closes before.
    func start(_ promise: EventLoopPromise<Void>?) {
        whenUp = promise
        beginGrace()
        if lifecycle.start() { connect() } else if let refusal = lifecycle.refusal { settleUp(.failure(refusal)) }
    }

    private func connect() {
        let began = NIODeadline.now()
        opener.open(for: self, on: eventLoop).assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let handler): connected(handler, began: began)
            case .failure(let error): lost(Self.connectionFault(error))
            }
        }
    }

    private func connected(_ handler: RedisChannelHandler, began: NIODeadline) {
        guard lifecycle.connected() else {
            return handler.close(because: LinkLifecycle.shutDown)
        }
        guard handler.isActive else {
            return lost(handler.fault ?? RedisError(.connection, "the server closed the connection"))
        }
        self.handler = handler
        let remaining = began + TimeAmount(opener.configuration.connectTimeout) - .now()
        let login = LogIn(configuration: opener.configuration, asksRole: demotion.begin())
        let promise = eventLoop.makePromise(of: [RedisValue].self)
        pipeline.putInFlight(login.pending(promise, timeout: max(remaining, .milliseconds(1))), now: .now())
        gauge.admitAlways(commands: login.commands.count)
        handler.write(.several(login.commands))
        handler.flush()
        setAlarm(for: .now() + remaining)
        promise.futureResult.assumeIsolated().whenSuccess { [self] replies in
            if let fault = login.fault(in: replies) {
                handler.close(because: fault)
            } else if login.isOfReplica(replies) {
                handler.close(because: demotion.meetReplica())
            } else {
                loggedIn()
            }
        }
    }

    private func loggedIn() {
        lifecycle.loggedIn()
        guard lifecycle.isUp else { return }
        gauge.isUp = true
        graceEnd = nil
        reachability.changed(up: true, nil)
        settleUp(.success(()))
        pump()
    }

    /// Hears from a handler that its channel is closed.
    func channelClosed(_ closed: RedisChannelHandler, _ fault: RedisError) {
        guard closed === handler else { return }
        handler = nil
        gauge.isUp = false
        failInFlight(because: fault)
        lost(fault, isDemoted: demotion.end())
    }

    /// - Parameter isDemoted: The server is left as it takes no writes.
    private func lost(_ fault: RedisError, isDemoted: Bool = false) {
        // It was reachable until now; one that is not even logged in to is as good as away.
        let isReachable = isDemoted && lifecycle.isUp
        switch lifecycle.lost(fault, isDemoted: isDemoted) {
        case .none: break
        case .finish(let reason): finish(reason)
        case .retry(let failures):
            if !isReachable { reachability.changed(up: false, fault) }
            beginGrace()
            let delay = opener.configuration.backoff.delay(afterFailures: failures, using: &jitter)
            retry = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [self] in
                if lifecycle.retryDue() { connect() }
            }
        }
    }

    /// From now on commands wait for a connection only so long, unless they do already.
    private func beginGrace() {
        guard graceEnd == nil else { return }
        let end = NIODeadline.now() + TimeAmount(opener.configuration.reconnectGrace)
        graceEnd = end
        if !pipeline.backlog.isEmpty { setAlarm(for: end) }
    }

    /// What a command learns that was never written.
    private var notSent: RedisError {
        RedisError(.connection, "not sent in time\(lifecycle.lastFault.map { ": \($0.message)" } ?? "")")
    }

    private func failInFlight(because fault: RedisError) {
        let now = NIODeadline.now()
        let unknown = RedisError(.outcomeUnknown, "the connection was lost before the answer: \(fault.message)")
        for (index, command) in pipeline.takeInFlight().enumerated() {
            let isLate = fault.code == .timeout && command.answerBy <= now
            // Only the oldest command can be the one whose reply broke the rules.
            let isBreaker = fault.code == .protocolViolation && index == 0
            finish(command, with: isLate || isBreaker ? fault : unknown)
        }
    }

    // MARK: Time

    /// Makes sure that somebody looks at the deadlines by then.
    ///
    /// Answers do not take the alarm back: it goes off about
    /// once per timeout, however many commands there are.
    private func setAlarm(for deadline: NIODeadline) {
        if let alarm, alarm.at <= deadline { return }
        alarm?.task.cancel()
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            alarm = nil
            checkDeadlines()
        }
        alarm = (deadline, task)
    }

    private func checkDeadlines() {
        let now = NIODeadline.now()
        for command in pipeline.takeUnsentExpired(now: now) { finish(command, with: notSent) }
        if let graceEnd, graceEnd <= now {
            for command in pipeline.takeBacklog() { finish(command, with: notSent) }
        }
        if pipeline.hasUnansweredExpired(now: now) {
            handler?.close(because: RedisError(.timeout, "the server did not answer in time"))
        }
        if let next = pipeline.earliestDeadline {
            setAlarm(for: pipeline.backlog.isEmpty ? next : min(next, graceEnd ?? next))
        }
    }

    // MARK: End

    /// Takes no more commands, waits for the answers under way, then closes.
    func drain() {
        if !lifecycle.drain(isIdle: pipeline.isIdle) { close(LinkLifecycle.shutDown) }
    }

    private func finishDraining() {
        if lifecycle.isDraining, pipeline.isIdle { close(LinkLifecycle.shutDown) }
    }

    /// Closes at once.
    func close(_ reason: RedisError) {
        if lifecycle.close(reason) { finish(reason) }
    }

    /// Tells the promise why everything is over, once it is.
    func notifyClosed(_ promise: EventLoopPromise<RedisError>) {
        if let reason = lifecycle.refusal, !lifecycle.isDraining { return promise.succeed(reason) }
        whenClosed.append(promise)
    }

    private func finish(_ reason: RedisError) {
        gauge.isUp = false
        retry?.cancel()
        retry = nil
        if let handler {
            self.handler = nil
            failInFlight(because: reason)
            handler.close(because: reason)
        }
        for command in pipeline.takeBacklog() { finish(command, with: reason) }
        alarm?.task.cancel()
        alarm = nil
        subscriber = nil
        settleUp(.failure(reason))
        for promise in whenClosed { promise.succeed(reason) }
        whenClosed = []
    }

    private func settleUp(_ result: Result<Void, RedisError>) {
        whenUp?.completeWith(result.mapError { $0 as any Error })
        whenUp = nil
    }

    private static func connectionFault(_ error: any Error) -> RedisError {
        (error as? RedisError) ?? RedisError(.connection, ConnectionOpener.reason(of: error))
    }
}
