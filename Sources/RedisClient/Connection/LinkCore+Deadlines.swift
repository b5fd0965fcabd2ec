import DequeModule
import NIOCore

/// The deadlines of a link's commands, which wait for a connection, a place in the pipeline or an answer.
extension LinkCore {
    /// Starts the grace period in which commands wait for a connection, unless it runs already.
    func beginGrace() {
        guard graceEnd == nil else { return }
        let end = NIODeadline.now() + TimeAmount(opener.configuration.reconnectGrace)
        graceEnd = end
        if !pipeline.backlog.isEmpty { setAlarm(for: end) }
    }

    /// The error of a command that was never written, as there is no connection.
    var notSent: RedisError {
        let reason = lifecycle.lastFault.map { "no connection: \($0.message)" }
        return RedisError(.connection, reason ?? "no connection to \(opener.configuration.address) in time")
    }

    /// The error of a command whose time to be written is over: the server is there if others are being written.
    private var notSentInTime: RedisError {
        guard gauge.isUp else { return notSent }
        let address = opener.configuration.address
        return RedisError(.busy, "no room in time among the commands under way to \(address)")
    }

    /// Makes sure that the deadlines are checked by then.
    ///
    /// Answers do not cancel the alarm: it goes off about once per timeout, however many commands there are.
    func setAlarm(for deadline: NIODeadline) {
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
        for command in pipeline.takeUnsentExpired(now: now) { finish(command, with: notSentInTime) }
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
}
