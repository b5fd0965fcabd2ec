import CaptureModel
package import Logging
package import Observability

/// What a gateway's requests, and its reconciler, tell of the servers behind it.
package struct Outages: Sendable {
    private let logs: OutageLogs
    /// Logs requests that are put off although no server is away; nothing else would explain their 503.
    let putOff: LoggedEpisode
    /// Requests that are served without their note in the record: nothing else would say why devices look silent.
    let unnoted: LoggedEpisode
    /// Logs the captures whose result the record has lost.
    let lostResults = LostResults()

    /// Begins with all servers taken to be there.
    package init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        logs = OutageLogs(logger: logger, now: now)
        putOff = LoggedEpisode("requests are put off", "requests are put off no longer", logger: logger, now: now)
        unnoted = LoggedEpisode(
            "it is not noted when devices are seen", "it is noted again when devices are seen", logger: logger,
            now: now)
    }

    /// The log of the bytes in files.
    package var bundles: OutageLog { logs.bundles }

    /// Notes a request that failed because a server is away.
    /// - Parameter isRefusal: Whether the server answered, and would not do it.
    func note(_ server: BackingServer, _ fault: String, isRefusal: Bool = false) {
        logs[server].away(fault, isRefusal: isRefusal)
    }

    /// Notes a failure, if a server caused it.
    ///
    /// A cancelled task says nothing about the server: its call was broken off by a stop, or by a client that went away.
    func note(_ failure: APIError) {
        guard !Task.isCancelled else { return }
        switch failure.cause {
        case .server(let server, let what): note(server, what)
        case .refusal(let server, let what): note(server, what, isRefusal: true)
        case .busy, .resultLost, .fault, nil: return
        }
    }

    /// Notes that a server answers: no more than that.
    func answered(_ server: BackingServer) {
        logs[server].answered()
        // The bundle directory is probed at the gateway only, and only while it is away.
        logs.bundles.lookAgain()
    }

    /// Notes that a server has answered a probe.
    /// - Parameter damage: The damaged key that kept it from telling its state; `nil` if none did.
    func probed(_ server: BackingServer, damage: String? = nil) {
        if let damage { logs.probed(server, damage: damage) } else { logs.probed(server, isUp: true) }
    }

    /// Notes a request that was served: the servers that it cannot do without have answered, and where it changes
    /// something, have done their work.
    func served(_ operation: Operation) {
        putOff.end()
        for server in operation.servers {
            if operation.changesSomething { logs[server].back() } else { answered(server) }
        }
    }
}

extension Operation {
    /// The servers without which it does not succeed.
    fileprivate var servers: [BackingServer] {
        switch self {
        case .uploadCapture: [.redis, .postgres, .bundles]
        case .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment, .attestEnrolment,
            .setEnrolmentPassword, .finalizeEnrolment:
            [.redis, .postgres]
        case .issueChallenge, .queueLoad: [.redis]
        case .captureProvenance, .captureEvidence, .listCaptures, .searchIDs, .listDevices, .showDevice, .revokeDevice,
            .affectedResults, .listAudit:
            [.postgres]
        // A result is told without the queue; the lookup notes whether that answers.
        case .captureStatus, .captureStatuses: []
        // The answer begins before anybody is asked.
        case .events, .captureEvents: []
        case .rollout, .liveness, .readiness, .metrics, .description: []
        }
    }

    /// Whether those servers have to write for it.
    fileprivate var changesSomething: Bool {
        switch self {
        case .uploadCapture, .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment,
            .attestEnrolment, .setEnrolmentPassword, .finalizeEnrolment, .issueChallenge, .revokeDevice:
            true
        case .captureStatus, .captureStatuses, .queueLoad, .captureProvenance, .captureEvidence, .listCaptures,
            .searchIDs, .listDevices, .showDevice, .affectedResults, .events, .captureEvents, .rollout, .listAudit,
            .liveness, .readiness, .metrics, .description:
            false
        }
    }
}
