import NIOCore
import Synchronization

/// The way for commands from any thread to the server.
///
/// Callers put commands into an inbox under a lock held for an append. The first one in an empty inbox wakes the event
/// loop, which takes them all and writes them with one flush: one hop per burst, and no task per command.
final class RedisLink: Sendable {
    let eventLoop: any EventLoop
    let gauge: LinkGauge
    private let configuration: RedisConfiguration
    private let core: NIOLoopBoundBox<LinkCore>
    private let inbox = Mutex(Inbox())
    private let nextID = Atomic<UInt64>(1)

    private enum Letter: Sendable {
        case command(PendingCommand<Waiter>, onWritten: (@Sendable () -> Void)?)
        case cancel(UInt64)
    }

    private struct Inbox {
        var letters: [Letter] = []
        var isDrainScheduled = false
    }

    init(options: LinkOptions, opener: ConnectionOpener, eventLoop: any EventLoop) {
        let configuration = opener.configuration
        let gauge = LinkGauge(commandsMax: configuration.backlogMax, bytesMax: configuration.backlogBytesMax)
        self.eventLoop = eventLoop
        self.gauge = gauge
        self.configuration = configuration
        core = .makeBoxSendingValue(
            LinkCore(options: options, opener: opener, gauge: gauge, eventLoop: eventLoop), eventLoop: eventLoop)
        options.demotions.join(self)
    }

    // MARK: Commands

    /// Sends a command and waits for its reply.
    ///
    /// - Throws: ``RedisError``; error replies as `server`.
    func send(_ command: RedisCommand, timeout: Duration? = nil) async throws(RedisError) -> RedisValue {
        try await perform(.one(command), count: 1, bytes: command.byteCount, timeout: timeout) { .value($0) }.get()
    }

    /// Sends commands in one write and waits for all replies; error replies are values.
    ///
    /// - Throws: ``RedisError``, never with code `server`.
    func pipeline(
        _ commands: [RedisCommand], timeout: Duration? = nil, onWritten: (@Sendable () -> Void)? = nil
    ) async throws(RedisError) -> [RedisValue] {
        guard !commands.isEmpty else { return [] }
        let bytes = commands.reduce(0) { $0 + $1.byteCount }
        return try await perform(
            .several(commands), count: commands.count, bytes: bytes, timeout: timeout, { .values($0) },
            onWritten: onWritten
        ).get()
    }

    /// Sends a command; the future completes on the link's event loop and fails with ``RedisError``.
    func sendFuture(_ command: RedisCommand, timeout: Duration? = nil) -> EventLoopFuture<RedisValue> {
        let promise = eventLoop.makePromise(of: RedisValue.self)
        submit(.one(command), id: takeID(), count: 1, bytes: command.byteCount, timeout: timeout, .promise(promise))
        return promise.futureResult
    }

    /// Sends `SUBSCRIBE`, which the server answers once per channel.
    ///
    /// - Throws: ``RedisError``; a refusal closes the link, as the other answers will not come.
    func subscribe(to channels: [String]) async throws(RedisError) {
        let command = RedisCommand("SUBSCRIBE", channels.map { .string($0) })
        let replies = await perform(
            .one(command), count: channels.count, bytes: command.byteCount, timeout: nil
        ) { (continuation: CheckedContinuation<Result<[RedisValue], RedisError>, Never>) in .values(continuation) }
        for reply in try replies.get() { _ = try reply.get() }
    }

    private func perform<Success: Sendable>(
        _ payload: PendingCommand<Waiter>.Payload, count: Int, bytes: Int, timeout: Duration?,
        _ waiter: (CheckedContinuation<Result<Success, RedisError>, Never>) -> Waiter,
        onWritten: (@Sendable () -> Void)? = nil
    ) async -> Result<Success, RedisError> {
        let id = takeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(
                    payload, id: id, count: count, bytes: bytes, timeout: timeout, waiter(continuation),
                    onWritten: onWritten)
                // If the cancellation came before the command was in the inbox, it found nothing to cancel.
                if Task.isCancelled { put(.cancel(id)) }
            }
        } onCancel: {
            put(.cancel(id))
        }
    }

    private func submit(
        _ payload: PendingCommand<Waiter>.Payload, id: UInt64, count: Int, bytes: Int, timeout: Duration?,
        _ waiter: Waiter, onWritten: (@Sendable () -> Void)? = nil
    ) {
        do throws(RedisError) {
            try gauge.admit(commands: count, bytes: bytes)
        } catch {
            return waiter.fail(error)
        }
        let command = PendingCommand(
            id: id, payload: payload, replyCount: count, byteCount: bytes,
            timeout: TimeAmount(timeout ?? configuration.commandTimeout),
            sendBy: .now() + TimeAmount(configuration.sendTimeout), ticket: waiter
        )
        put(.command(command, onWritten: onWritten))
    }

    private func takeID() -> UInt64 {
        nextID.add(1, ordering: .relaxed).oldValue
    }

    // MARK: Inbox

    private func put(_ letter: Letter) {
        let isFirst = inbox.withLock { inbox in
            inbox.letters.append(letter)
            defer { inbox.isDrainScheduled = true }
            return !inbox.isDrainScheduled
        }
        if isFirst { eventLoop.execute { self.drainInbox() } }
    }

    private func drainInbox() {
        let letters = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox.letters
        }
        let core = core.value
        for letter in letters {
            switch letter {
            case .command(let command, let onWritten):
                core.accept(command)
                if let onWritten {
                    core.pump()
                    onWritten()
                }
            case .cancel(let id): core.cancel(id)
            }
        }
        core.pump()
    }

    // MARK: Life

    /// Connects, unless that has happened before, and does not wait for it.
    func start() {
        onCore { $0.start(nil) }
    }

    /// Connects and waits for the log-in.
    ///
    /// - Throws: ``RedisError``: why there is no connection.
    func open() async throws(RedisError) {
        let promise = eventLoop.makePromise(of: Void.self)
        onCore { $0.start(promise) }
        do {
            try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                close(RedisError(.cancelled, "the calling task was cancelled"))
            }
        } catch {
            throw RedisError(connecting: error)
        }
    }

    /// Takes no more commands and closes once the accepted ones are answered; see ``closed()``.
    func drain() {
        onCore { $0.drain() }
    }

    /// Closes at once; commands under way fail.
    func close(_ reason: RedisError) {
        onCore { $0.close(reason) }
    }

    /// Waits until the link is closed for good.
    func closed() async {
        // This future never fails.
        _ = try? await closedFuture.get()
    }

    /// Completes with the reason once the link is closed for good.
    var closedFuture: EventLoopFuture<RedisError> {
        let promise = eventLoop.makePromise(of: RedisError.self)
        onCore { $0.notifyClosed(promise) }
        return promise.futureResult
    }

    /// Leaves a server that refused another link's write: a link that only listens would not notice by itself.
    func followDemotion() {
        onCore { $0.pump() }
    }

    /// Passes messages of subscriptions to the subscriber, on the event loop.
    func receiveMessages(_ subscriber: @escaping @Sendable (RedisValue) -> Void) {
        onCore { $0.receiveMessages(subscriber) }
    }

    private func onCore(_ body: @escaping @Sendable (LinkCore) -> Void) {
        eventLoop.execute { [core] in body(core.value) }
    }
}
