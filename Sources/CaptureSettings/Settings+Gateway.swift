public import CaptureGateway
import CaptureInspection
import CaptureModel

extension Settings {
    /// Everything about the gateway.
    public func gatewayConfiguration() throws(SettingsError) -> GatewayConfiguration {
        var configuration = GatewayConfiguration(appIDs: try appIDs())
        configuration.host = text(.gatewayHost) ?? configuration.host
        configuration.port = integer(.gatewayPort)
        configuration.trustedProxies = list(.gatewayTrustedProxies)
        configuration.environments = try environments()
        configuration.roots = try trustRoots()
        configuration.receiptRoots = try receiptRoots()
        configuration.registrationPolicy = text(.registrationPolicy) == "reject" ? .reject : .degrade
        configuration.challengeLimit = integer(.gatewayChallengeLimit)
        configuration.enrolmentLifetime = duration(.enrolmentSessionLifetime)
        configuration.readTokenDigests = try digests(.readTokens)
        configuration.operatorTokenDigests = try digests(.operatorTokens)
        configuration.sessionLifetime = duration(.gatewaySessionLifetime)
        configuration.eventStreamsMax = integer(.gatewayEventStreamsMax)
        configuration.photoBytesMax = bytes(.photoBytesMax)
        configuration.depthBytesMax = bytes(.depthBytesMax)
        configuration.inspection.photoBytesMax = bytes(.photoBytesMax)
        configuration.bindings = try bindings()
        configuration.precheck = text(.gatewayPrecheck).flatMap { .init(rawValue: $0) } ?? configuration.precheck
        configuration.uploadBytesInFlightMax = bytes(.gatewayUploadBytesInFlightMax)
        configuration.intakeWait = duration(.intakeWait)
        configuration.intakeGroupMax = integer(.intakeGroupMax)
        configuration.intakeBacklogMax = integer(.intakeBacklogMax)
        configuration.restoreWait = duration(.intakeRestoreWait)
        configuration.connectionsMax = integer(.gatewayConnectionsMax)
        configuration.idleTimeout = duration(.gatewayIdleTimeout)
        configuration.jsonTimeout = duration(.gatewayJSONTimeout)
        configuration.uploadIdleTimeout = duration(.gatewayUploadIdleTimeout)
        configuration.uploadTimeout = duration(.gatewayUploadTimeout)
        return configuration
    }

    /// Times of the reconciler between the ledger and the queue.
    public var reconcilerConfiguration: IntakeReconciler.Configuration {
        var configuration = IntakeReconciler.Configuration()
        configuration.interval = duration(.intakeInterval)
        configuration.grace = duration(.intakeGrace)
        configuration.sweepInterval = duration(.intakeSweepInterval)
        configuration.retention = duration(.queueAcceptedRetention)
        return configuration
    }

    private func digests(_ setting: Setting) throws(SettingsError) -> [SHA256Digest] {
        var digests: [SHA256Digest] = []
        for text in list(setting) {
            guard let digest = SHA256Digest(hex: text) else {
                throw SettingsError("\(setting.key): takes SHA-256 digests of tokens, 64 hexadecimal digits each")
            }
            digests.append(digest)
        }
        return digests
    }
}
