package import CaptureGateway
import CaptureModel
package import CaptureSettings

extension Settings {
    /// The configuration of a gateway.
    /// - Throws: ``SettingsError`` that names the setting, also for values that are refused only in combination.
    package func gatewayConfiguration() throws(SettingsError) -> GatewayConfiguration {
        var configuration = GatewayConfiguration(appIDs: try appIDs())
        readConnections(into: &configuration.connections)
        readRequests(into: &configuration.requests)
        readRates(into: &configuration.rates)
        try readTrust(into: &configuration.trust)
        readValidity(into: &configuration.validity)
        try readAccess(into: &configuration.access)
        try readUploads(into: &configuration.uploads)
        readIntake(into: &configuration.intake)
        readReading(into: &configuration.reading)
        configuration.readinessTimeout = duration(.gatewayReadinessTimeout)
        do throws(ConfigurationError) {
            try configuration.validate()
        } catch {
            throw refusal(of: Setting.of(error.field), "takes \(error.allowed)")
        }
        return configuration
    }

    private func readConnections(into connections: inout GatewayConfiguration.Connections) {
        connections.host = required(.gatewayHost)
        connections.port = integer(.gatewayPort)
        connections.countMax = integer(.gatewayConnectionsMax)
        connections.idleTimeout = duration(.gatewayIdleTimeout)
        connections.lingerTimeout = duration(.gatewayLingerTimeout)
        connections.trustedProxies = list(.gatewayTrustedProxies)
    }

    private func readRequests(into requests: inout GatewayConfiguration.Requests) {
        requests.headerBytesMax = bytes(.gatewayHeaderBytesMax)
        requests.headerFieldsMax = integer(.gatewayHeaderFieldsMax)
        requests.jsonBytesMax = bytes(.gatewayJSONBytesMax)
        requests.jsonBytesInFlightMax = bytes(.gatewayJSONBytesInFlightMax)
        requests.jsonTimeout = duration(.gatewayJSONTimeout)
        requests.refusedLinesMax = integer(.gatewayRefusedLinesMax)
    }

    private func readRates(into rates: inout GatewayConfiguration.Rates) {
        rates.challengeLimit = integer(.gatewayChallengeLimit)
        rates.loginLimit = integer(.gatewayLoginLimit)
        rates.requestLimit = integer(.gatewayRequestLimit)
    }

    private func readTrust(into trust: inout GatewayConfiguration.Trust) throws(SettingsError) {
        trust.environments = try environments()
        trust.roots = try trustRoots()
        trust.receiptRoots = try receiptRoots()
        trust.registrationPolicy = choice(.registrationPolicy)
    }

    private func readValidity(into validity: inout GatewayConfiguration.Validity) {
        validity.challengeLifetime = duration(.gatewayChallengeLifetime)
        validity.enrolmentLifetime = duration(.enrolmentSessionLifetime)
        validity.requestWindow = duration(.gatewayRequestWindow)
    }

    private func readAccess(into access: inout GatewayConfiguration.Access) throws(SettingsError) {
        access.readTokenDigests = try digests(.readTokens)
        access.evidenceTokenDigests = try digests(.evidenceTokens)
        access.operatorTokenDigests = try digests(.operatorTokens)
        access.sessionLifetime = duration(.gatewaySessionLifetime)
    }

    private func readUploads(into uploads: inout GatewayConfiguration.Uploads) throws(SettingsError) {
        uploads.inspection = inspectionLimits
        uploads.assertionBytesMax = bytes(.assertionBytesMax)
        uploads.bindings = try bindings()
        uploads.precheck = choice(.gatewayPrecheck)
        uploads.bytesInFlightMax = bytes(.gatewayUploadBytesInFlightMax)
        uploads.idleTimeout = duration(.gatewayUploadIdleTimeout)
        uploads.timeout = duration(.gatewayUploadTimeout)
    }

    private func readIntake(into intake: inout GatewayConfiguration.Intake) {
        intake.wait = duration(.intakeWait)
        intake.groupMax = integer(.intakeGroupMax)
        intake.backlogMax = integer(.intakeBacklogMax)
        intake.restoreWait = duration(.intakeRestoreWait)
    }

    private func readReading(into reading: inout GatewayConfiguration.Reading) {
        reading.waitMax = duration(.gatewayWaitMax)
        reading.statusIDsMax = integer(.gatewayStatusIDsMax)
        reading.eventStreamsMax = integer(.gatewayEventStreamsMax)
        reading.picturesMax = integer(.gatewayPicturesMax)
    }

    // MARK: What else a gateway runs

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
                throw refusal(of: setting, "takes SHA-256 digests of tokens, 64 hexadecimal digits each")
            }
            digests.append(digest)
        }
        return digests
    }
}
