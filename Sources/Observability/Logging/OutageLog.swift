package import CaptureModel
package import Logging
import Synchronization

/// Logs a server's outage once when it begins and once when it ends, however many calls notice it, and keeps its gauge.
///
/// A server is back when a call succeeds after none has failed for a while. While only some of its connections are up
/// again, calls fail and succeed in turn, and that counts as one outage.
///
/// A server that answers may still refuse its work: a replica, a full disk, a right that was taken away. Such an outage
/// ends when work is done again. An answer to a probe or a read ends it only when no call was refused for long.
///
/// A disk that is nearly full refuses some writes and takes others in turn. So log and gauge tell the end of an outage
/// only when nothing was refused for half a minute, although work goes on at once (``isAway``).
///
/// A full disk may become one that is gone: a fault of the other kind is told as well, half a minute after the last line
/// at the earliest.
package final class OutageLog: Sendable {
    private struct State {
        var outage: Episode
        /// From the line that tells an outage to the line that tells its end: the gauge is down.
        var isTold = false
        /// Whether the fault that was told last is a refusal, and when it was told.
        var told: (isRefusal: Bool, at: ContinuousClock.Instant)?
        /// Whether work was done since the last fault; during an outage that was too soon after the fault to end it.
        var hasWorked = false
        /// The last refusal after which no work was done; as long as there is one, a mere answer does not end the outage.
        var lastRefusal: ContinuousClock.Instant?
        /// The last refusal of the outage that is told.
        var lastToldRefusal: ContinuousClock.Instant?
        /// Of probes that got no answer while no call had failed; never during an outage.
        var silence: ProbeSilence
        /// On while a damaged key keeps the server from telling its state.
        var damage = Episode()
    }

    private let server: BackingServer
    private let logger: Logger
    private let calm: Duration
    private let refusalCalm: Duration
    private let relapseCalm: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// Begins with a server that is assumed to be up, and sets its gauge.
    /// - Parameters:
    ///   - server: Whose outages they are; its name begins each line, and is the gauge's label.
    ///   - logger: Logs each change.
    ///   - calm: How long no call may have failed before the server counts as back.
    ///   - refusalCalm: How long it must have refused nothing before a mere answer counts.
    ///   - relapseCalm: How long it must have refused nothing before it is told to be back, and how long a fault of
    ///     another kind is not told after the last.
    ///   - now: The clock that the three times above are measured by.
    package init(
        _ server: BackingServer, logger: Logger, calm: Duration = .seconds(1),
        refusalCalm: Duration = .seconds(300), relapseCalm: Duration = .seconds(30),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.server = server
        self.logger = logger
        self.calm = calm
        self.refusalCalm = refusalCalm
        self.relapseCalm = relapseCalm
        self.now = now
        state = Mutex(State(outage: Episode(calm: calm), silence: ProbeSilence(calm: calm)))
        CaptureMetrics.dependency(server, isUp: true)
    }

    /// Whether the server counts as away.
    ///
    /// It does from the first call that fails until ``back()``, ``answered()`` or ``lookAgain()`` ends the outage. Time
    /// alone does not end it.
    package var isAway: Bool { state.withLock { $0.outage.isOn } }

    /// Notes that a call failed because the server is away.
    /// - Parameter isRefusal: Whether the server answered, but refused.
    package func away(_ fault: some CustomStringConvertible, isRefusal: Bool = false) {
        let isNews = state.withLock { state in
            let time = now()
            state.hasWorked = false
            if isRefusal { (state.lastRefusal, state.lastToldRefusal) = (time, time) }
            _ = state.outage.begin(at: time)
            // Also where the outage has ended, and nobody was told so yet.
            if state.isTold, let told = state.told {
                guard told.isRefusal != isRefusal, time - told.at >= relapseCalm else { return false }
                state.told = (isRefusal, time)
                return true
            }
            // What a probe has told of is no refusal.
            (state.isTold, state.told) = (true, (isRefusal && !state.silence.isTold, time))
            // Within the lock, so that the gauge never shows an older state.
            CaptureMetrics.dependency(server, isUp: false)
            // An absence that a probe reported is not logged again: from now on it ends with the outage.
            defer { state.silence = ProbeSilence(calm: calm) }
            return !state.silence.isTold
        }
        if isNews { tellAway("\(fault)") }
    }

    /// Notes that the server has done its work: a call that changes something succeeded, or all calls did.
    package func back() {
        end { state, _ in
            // Even when this is too soon after a fault to end the outage: from now on a mere answer is enough.
            state.lastRefusal = nil
            return true
        }
        noteCall()
    }

    /// Notes that the server has answered, which says nothing about work that it refuses.
    package func answered() {
        noteAnswer()
        noteCall()
    }

    private func noteAnswer() {
        end { state, time in state.lastRefusal.map { time - $0 >= refusalCalm } ?? true }
    }

    /// A call that had an answer shows that the server is there, whoever probes it or does so no more.
    private func noteCall() {
        let isNews = state.withLock { state in
            guard !state.isTold, state.silence.isOn else { return false }
            let wasTold = state.silence.isTold
            guard state.silence.noteCall(at: now()) else { return false }
            CaptureMetrics.dependency(server, isUp: !state.damage.isOn)
            return wasTold
        }
        if isNews { tellBack() }
    }

    /// Notes the result of a probe, and sets the gauge, which never shows the server up while calls fail.
    ///
    /// A probe without an answer is logged like an outage, but is none: the probe may just have been slow, and work goes on
    /// meanwhile. It is over with the next call that has an answer, a second later at the earliest, or with a probe that
    /// has one.
    /// - Parameter fault: Why the server is not up, when that is known.
    package func probed(isUp: Bool, fault: String? = nil) {
        let isRepaired = isUp && state.withLock { $0.damage.end(at: now()) }
        if isRepaired { logger.notice("\(server.rawValue) tells its state again") }
        noteProbe(isThere: isUp, fault)
    }

    /// Notes that a probe was answered, and that a damaged key keeps the server from telling its state.
    ///
    /// The server is there, and calls that do not need the key succeed: it is no outage. The gauge is down all the same,
    /// as the server does not do its work.
    package func probed(damage fault: String) {
        let isNews = state.withLock { $0.damage.begin(at: now()) }
        if isNews {
            logger.error(
                "\(server.rawValue) is there, but a key that tells its state is damaged",
                metadata: ["fault": "\(fault)"])
        }
        noteProbe(isThere: true, nil)
    }

    private func noteProbe(isThere: Bool, _ fault: String?) {
        if isThere { noteAnswer() }
        let isNews = state.withLock { state in
            CaptureMetrics.dependency(server, isUp: isThere && !state.damage.isOn && !state.isTold)
            guard !state.isTold else { return false }
            return isThere ? state.silence.noteAnswer(at: now()) : state.silence.noteMiss(at: now())
        }
        guard isNews else { return }
        if isThere { tellBack() } else { tellAway(fault ?? "no answer to a probe") }
    }

    /// Ends an outage whose last work came too soon after a fault to end it, once nothing has failed for long enough.
    ///
    /// No other work may follow for hours.
    package func lookAgain() {
        end { state, _ in state.hasWorked }
    }

    private func end(if isConvincing: (inout State, ContinuousClock.Instant) -> Bool) {
        let isNews = state.withLock { state in
            let time = now()
            guard isConvincing(&state, time) else { return false }
            state.hasWorked = true
            state.outage.end(at: time)
            let isCalm = state.lastToldRefusal.map { time - $0 >= relapseCalm } ?? true
            guard state.isTold, !state.outage.isOn, isCalm else { return false }
            (state.isTold, state.lastToldRefusal) = (false, nil)
            CaptureMetrics.dependency(server, isUp: !state.damage.isOn)
            return true
        }
        if isNews { tellBack() }
    }

    private func tellAway(_ fault: String) {
        logger.error("\(server.rawValue) is away; waiting for it", metadata: ["fault": "\(fault)"])
    }

    private func tellBack() {
        logger.notice("\(server.rawValue) is back")
    }
}
