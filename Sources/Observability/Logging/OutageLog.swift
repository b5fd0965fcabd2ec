package import Logging
import Spell
import Synchronization

/// Logs a server's going and coming once each, however many calls meet it, and keeps its gauge.
///
/// A server is back when a call goes through after none has failed for a while: while some of its connections are up
/// again and others are not, calls fail and succeed in turn, and that is one change of state and not many.
///
/// A server that answers may still refuse its work: a replica, a full disk, a right that was taken away. Such an outage
/// ends with work that is done again. That the server answers a probe, or lets itself be read, ends it only when nobody
/// has met a refusal for long.
package final class OutageLog: Sendable {
    private struct State {
        var outage: Spell
        /// Whether work was done since the last fault: during an outage too soon after it to be believed.
        var hasWorked = false
        var lastRefusal: ContinuousClock.Instant?
        /// That probes have missed it, and no call has met that yet; never during an outage.
        var missed = OutageLog.unmissed
    }

    /// Probes that are now and then too slow are one change, and not many.
    private static let unmissed = Spell(calm: .seconds(30))

    private let dependency: CaptureMetrics.Dependency
    private let logger: Logger
    private let refusalCalm: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// Begins with a server that is taken to be there, and sets its gauge.
    /// - Parameters:
    ///   - dependency: The server.
    ///   - logger: Told of each change.
    ///   - calm: How long no call may have failed before the server counts as back.
    ///   - refusalCalm: How long it may have refused nothing before a mere answer counts.
    ///   - now: The time.
    package init(
        _ dependency: CaptureMetrics.Dependency, logger: Logger, calm: Duration = .seconds(1),
        refusalCalm: Duration = .seconds(300), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.dependency = dependency
        self.logger = logger
        self.refusalCalm = refusalCalm
        self.now = now
        state = Mutex(State(outage: Spell(calm: calm)))
        CaptureMetrics.dependency(dependency, isUp: true)
    }

    /// Whether calls fail, or did a moment ago.
    package var isAway: Bool { state.withLock { $0.outage.isOn } }

    /// Notes that a call failed because the server is away.
    /// - Parameter isRefusal: Whether the server answered, and would not do it.
    package func away(_ fault: some CustomStringConvertible, isRefusal: Bool = false) {
        let isNews = state.withLock { state in
            let time = now()
            state.hasWorked = false
            if isRefusal { state.lastRefusal = time }
            guard state.outage.begin(at: time) else { return false }
            // Within the lock, so that the gauge never says what no longer is.
            CaptureMetrics.dependency(dependency, isUp: false)
            // What a probe has told is not told again: its end is that of the outage now.
            defer { state.missed = Self.unmissed }
            return !state.missed.isOn
        }
        if isNews { tellAway("\(fault)") }
    }

    /// Notes that the server has done its work: a call went through that changes something, or
    /// all that it is asked for.
    package func back() {
        end { state, _ in
            // Even where it comes too soon after a fault to be believed: from here on an answer will do.
            state.lastRefusal = nil
            return true
        }
    }

    /// Notes that the server has answered, which tells nothing about the work that it refused.
    package func answered() {
        end { state, time in state.lastRefusal.map { time - $0 >= refusalCalm } ?? true }
    }

    /// Notes what a probe found, and sets the gauge: it may show the server away, but not there while calls fail.
    ///
    /// It is told as an outage is, and is none: a probe may just have been slow, and work does not wait for that.
    /// - Parameter fault: Why the server is not up, where that is known.
    package func probed(isUp: Bool, fault: String? = nil) {
        if isUp { answered() }
        let isNews = state.withLock { state in
            CaptureMetrics.dependency(dependency, isUp: isUp && !state.outage.isOn)
            guard !state.outage.isOn else { return false }
            return isUp ? state.missed.end(at: now()) : state.missed.begin(at: now())
        }
        guard isNews else { return }
        if isUp { tellBack() } else { tellAway(fault ?? "no answer to a probe") }
    }

    /// Ends an outage after which work was done too soon to be believed, once nothing has failed for long enough.
    ///
    /// That work may have been the last for hours.
    package func lookAgain() {
        end { state, _ in state.hasWorked }
    }

    private func end(if isConvincing: (inout State, ContinuousClock.Instant) -> Bool) {
        let isNews = state.withLock { state in
            let time = now()
            guard isConvincing(&state, time) else { return false }
            state.hasWorked = true
            guard state.outage.end(at: time) else { return false }
            CaptureMetrics.dependency(dependency, isUp: true)
            return true
        }
        if isNews { tellBack() }
    }

    private func tellAway(_ fault: String) {
        logger.error("\(dependency.rawValue) is away; waiting for it", metadata: ["fault": "\(fault)"])
    }

    private func tellBack() {
        logger.notice("\(dependency.rawValue) is back")
    }
}
