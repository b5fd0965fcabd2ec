import DequeModule
import NIOCore

/// The end of a link, or of one of its connections: which waiter gets which error.
extension LinkCore {
    /// Takes no more commands, waits for the answers to those it has, then closes.
    func drain() {
        if !lifecycle.drain(isIdle: pipeline.isIdle) { close(LinkLifecycle.shutDown) }
    }

    /// During an orderly end: closes when the last answer has come.
    func finishDraining() {
        if lifecycle.isDraining, pipeline.isIdle { close(LinkLifecycle.shutDown) }
    }

    /// Closes at once.
    func close(_ reason: RedisError) {
        if lifecycle.close(reason) { finish(reason) }
    }

    /// Completes the promise with the reason once the link is closed.
    func notifyClosed(_ promise: EventLoopPromise<RedisError>) {
        if let reason = lifecycle.refusal, !lifecycle.isDraining { return promise.succeed(reason) }
        whenClosed.append(promise)
    }

    /// Fails all waiting commands and frees everything: the link is closed.
    func finish(_ reason: RedisError) {
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

    /// Completes the promise of the first log-in.
    func settleUp(_ result: Result<Void, RedisError>) {
        whenUp?.completeWith(result.mapError { $0 as any Error })
        whenUp = nil
    }

    /// Fails the commands in flight: with the cause for a command that it is known to concern, else as outcome unknown.
    func failInFlight(because fault: RedisError) {
        let now = NIODeadline.now()
        let unknown = RedisError(.outcomeUnknown, "the connection was lost before the answer: \(fault.message)")
        for (index, command) in pipeline.takeInFlight().enumerated() {
            let isLate = fault.code == .timeout && command.answerBy <= now
            // Only the oldest command's reply can have violated the protocol.
            let isBreaker = fault.code == .protocolViolation && index == 0
            finish(command, with: isLate || isBreaker ? fault : unknown)
        }
    }
}
