import DequeModule
import NIOCore

/// The end of a link, or of one of its connections: who learns what.
extension LinkCore {
    /// Takes no more commands, waits for the answers under way, then closes.
    func drain() {
        if !lifecycle.drain(isIdle: pipeline.isIdle) { close(LinkLifecycle.shutDown) }
    }

    /// Closes when the last answer of an orderly end is there.
    func finishDraining() {
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

    /// Fails whatever waits and gives up what is held: it is over.
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

    /// Tells whoever waits for the first log-in what came of it.
    func settleUp(_ result: Result<Void, RedisError>) {
        whenUp?.completeWith(result.mapError { $0 as any Error })
        whenUp = nil
    }

    /// Fails what was written and not answered: only one that can be told why learns more than that it is unknown.
    func failInFlight(because fault: RedisError) {
        let now = NIODeadline.now()
        let unknown = RedisError(.outcomeUnknown, "the connection was lost before the answer: \(fault.message)")
        for (index, command) in pipeline.takeInFlight().enumerated() {
            let isLate = fault.code == .timeout && command.answerBy <= now
            // Only the oldest command can be the one whose reply broke the rules.
            let isBreaker = fault.code == .protocolViolation && index == 0
            finish(command, with: isLate || isBreaker ? fault : unknown)
        }
    }
}
