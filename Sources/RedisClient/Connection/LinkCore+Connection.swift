import DequeModule
import NIOCore
import Waiting

/// The connection of a link: made, logged in to, lost, and made again.
extension LinkCore {
    /// Connects unless that has happened before.
    ///
    /// - Parameter promise: Succeeds with the first log-in, fails if the link closes before.
    func start(_ promise: EventLoopPromise<Void>?) {
        whenUp = promise
        beginGrace()
        if lifecycle.start() { connect() } else if let refusal = lifecycle.refusal { settleUp(.failure(refusal)) }
    }

    private func connect() {
        let began = NIODeadline.now()
        // Each attempt starts with another address, as the first may accept connections and never answer.
        let turn = lifecycle.failedAttempts
        opener.open(for: self, on: eventLoop, turn: turn).assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let handler): connected(handler, began: began)
            case .failure(let error): lost(RedisError(connecting: error, to: opener.configuration.address))
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
        logIn = login
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
        // This may find that the server must be left, and end the link.
        pump()
        settleUp(.success(()))
    }

    /// A handler reports that its channel is closed.
    func channelClosed(_ closed: RedisChannelHandler, _ fault: RedisError) {
        guard closed === handler else { return }
        handler = nil
        gauge.isUp = false
        let fault = lifecycle.isUp ? fault : beforeLogIn(fault)
        failInFlight(because: fault)
        lost(fault, isDemoted: demotion.end())
    }

    /// A fault before the log-in, with a timeout as `connection`: no caller's command was written, so none is late.
    ///
    /// A server may take the connection and be none of this kind: TLS at a port without it, or the other way round.
    private func beforeLogIn(_ fault: RedisError) -> RedisError {
        switch fault.code {
        // The reason that it gave before it closed.
        case .connection: pipeline.inFlight.first.flatMap { logIn?.dismissal(in: $0.replies) } ?? fault
        case .timeout:
            RedisError(
                .connection,
                "\(opener.configuration.address) did not answer the log-in in time"
                    + (opener.configuration.tls == nil ? "" : ", over TLS"))
        default: fault
        }
    }

    /// - Parameter isDemoted: Whether the server is left because it takes no writes.
    private func lost(_ fault: RedisError, isDemoted: Bool = false) {
        // A demoted server counts as reachable only if the connection had logged in.
        let isReachable = isDemoted && lifecycle.isUp
        switch lifecycle.lost(fault, isDemoted: isDemoted) {
        case .none: break
        case .finish(let reason): finish(reason)
        case .retry(let failures):
            if !isReachable { reachability.changed(up: false, fault) }
            beginGrace()
            let delay = opener.configuration.backoff.delay(attempt: failures, chance: .random(in: 0...1))
            retry = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [self] in
                if lifecycle.retryDue() { connect() }
            }
        }
    }
}
