package import CaptureGateway
import CaptureModel
package import CaptureSettings

extension Settings {
    /// The configuration of a gateway.
    /// - Throws: ``SettingsError`` that names the setting, also for values that are refused only in combination.
    package func gatewayConfiguration() throws(SettingsError) -> GatewayConfiguration {
        var configuration = GatewayConfiguration(appIDs: try appIDs())
        configuration.host = text(.gatewayHost) ?? configuration.host
        configuration.port = integer(.gatewayPort)
        configuration.trustedProxies = list(.gatewayTrustedProxies)
        configuration.environments = try environments()
        configuration.roots = try trustRoots()
        configuration.receiptRoots = try receiptRoots()
        configuration.registrationPolicy =
            text(.registrationPolicy).flatMap { .init(rawValue: $0) } ?? configuration.registrationPolicy
        configuration.challengeLimit = integer(.gatewayChallengeLimit)
        configuration.challengeLifetime = duration(.gatewayChallengeLifetime)
        configuration.requestWindow = duration(.gatewayRequestWindow)
        configuration.requestLimit = integer(.gatewayRequestLimit)
        configuration.enrolmentLifetime = duration(.enrolmentSessionLifetime)
        configuration.readTokenDigests = try digests(.readTokens)
        configuration.evidenceTokenDigests = try digests(.evidenceTokens)
        configuration.operatorTokenDigests = try digests(.operatorTokens)
        configuration.sessionLifetime = duration(.gatewaySessionLifetime)
        configuration.loginLimit = integer(.gatewayLoginLimit)
        configuration.bindings = try bindings()
        configuration.precheck = text(.gatewayPrecheck).flatMap { .init(rawValue: $0) } ?? configuration.precheck
        readLimits(into: &configuration)
        do throws(ConfigurationError) {
            try configuration.validate()
        } catch {
            throw SettingsError("\(Setting.of(error.field).key): takes \(error.allowed)")
        }
        return configuration
    }

    /// Reads the limits on numbers, sizes and times.
    private func readLimits(into configuration: inout GatewayConfiguration) {
        configuration.inspection = inspectionLimits
        configuration.depthBytesMax = bytes(.depthBytesMax)
        configuration.assertionBytesMax = bytes(.assertionBytesMax)
        configuration.uploadBytesInFlightMax = bytes(.gatewayUploadBytesInFlightMax)
        configuration.eventStreamsMax = integer(.gatewayEventStreamsMax)
        configuration.picturesMax = integer(.gatewayPicturesMax)
        configuration.refusedLinesMax = integer(.gatewayRefusedLinesMax)
        configuration.statusIDsMax = integer(.gatewayStatusIDsMax)
        configuration.waitMax = duration(.gatewayWaitMax)
        configuration.intakeWait = duration(.intakeWait)
        configuration.intakeGroupMax = integer(.intakeGroupMax)
        configuration.intakeBacklogMax = integer(.intakeBacklogMax)
        configuration.restoreWait = duration(.intakeRestoreWait)
        configuration.connectionsMax = integer(.gatewayConnectionsMax)
        configuration.headerBytesMax = bytes(.gatewayHeaderBytesMax)
        configuration.headerFieldsMax = integer(.gatewayHeaderFieldsMax)
        configuration.idleTimeout = duration(.gatewayIdleTimeout)
        configuration.lingerTimeout = duration(.gatewayLingerTimeout)
        configuration.readinessTimeout = duration(.gatewayReadinessTimeout)
        configuration.jsonBytesMax = bytes(.gatewayJSONBytesMax)
        configuration.jsonBytesInFlightMax = bytes(.gatewayJSONBytesInFlightMax)
        configuration.jsonTimeout = duration(.gatewayJSONTimeout)
        configuration.uploadIdleTimeout = duration(.gatewayUploadIdleTimeout)
        configuration.uploadTimeout = duration(.gatewayUploadTimeout)
    }

    /// How many status requests may wait for a change at a time: one on each connection.
    package var watchersMax: Int { integer(.gatewayConnectionsMax) }

    /// Times of the reconciler between the ledger and the queue.
    package var reconcilerConfiguration: IntakeReconciler.Configuration {
        var configuration = IntakeReconciler.Configuration()
        configuration.interval = duration(.intakeInterval)
        configuration.grace = duration(.intakeGrace)
        configuration.sweepInterval = duration(.intakeSweepInterval)
        configuration.retention = duration(.queueAcceptedRetention)
        return configuration
    }

    /// When the data of enrolments are deleted.
    package var enrolmentPurger: EnrolmentPurger.Configuration {
        var configuration = EnrolmentPurger.Configuration()
        configuration.retention = duration(.enrolmentRetention)
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
