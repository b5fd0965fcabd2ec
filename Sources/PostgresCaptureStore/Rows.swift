import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresClient

extension PostgresRow {
    /// A word of one of our enumerations.
    func value<Value: RawRepresentable<String>>(_ column: String) throws(PostgresError) -> Value {
        try made(column, Value(rawValue: text(column)))
    }

    /// A word of one of our enumerations, or NULL.
    func valueOptional<Value: RawRepresentable<String>>(_ column: String) throws(PostgresError) -> Value? {
        guard let text = try textOptional(column) else { return nil }
        return try made(column, Value(rawValue: text))
    }

    /// Why a capture was rejected, or NULL; any release's reason can be read.
    func reason() throws(PostgresError) -> Reason? {
        try textOptional("reason").map(Reason.init(recorded:))
    }

    /// The verdict with its reason; a verdict that the reason does not fit is a row that cannot be read.
    func decision() throws(PostgresError) -> Decision {
        try made("reason", Decision(value("verdict"), reason()))
    }

    func counter(_ column: String) throws(PostgresError) -> UInt32 {
        try made(column, UInt32(exactly: int8(column)))
    }

    func counterOptional(_ column: String) throws(PostgresError) -> UInt32? {
        guard let counter = try int8Optional(column) else { return nil }
        return try made(column, UInt32(exactly: counter))
    }

    func keyIDOptional(_ column: String) throws(PostgresError) -> KeyID? {
        guard let bytes = try bytesOptional(column) else { return nil }
        return try made(column, KeyID(bytes: bytes))
    }

    func moment(_ column: String) throws(PostgresError) -> Timestamp {
        try Timestamp(microsecondsSince1970: timestamptz(column))
    }

    func momentOptional(_ column: String) throws(PostgresError) -> Timestamp? {
        try timestamptzOptional(column).map(Timestamp.init(microsecondsSince1970:))
    }

    func digest(_ column: String) throws(PostgresError) -> SHA256Digest {
        try made(column, SHA256Digest(bytes: bytes(column)))
    }

    func made<Value>(_ column: String, _ value: Value?) throws(PostgresError) -> Value {
        guard let value else { throw PostgresError(.decoding, "column \(column) holds an unknown value") }
        return value
    }

    /// A row of `known_devices_v1`.
    func device(
        isRiskAwaited: Bool = false, attestedApp: AttestedApp = AttestedApp()
    ) throws(PostgresError) -> Device {
        try Device(
            id: DeviceID(uuid("id")), keyID: made("key_id", KeyID(bytes: bytes("key_id"))), key: deviceKey(),
            platform: text("platform"), model: text("model"), hasLidar: bool("has_lidar"),
            revokedAt: momentOptional("revoked_at"), registeredAt: moment("registered_at"), risk: risk(),
            isRiskAwaited: isRiskAwaited, latestOSVersion: textOptional("latest_os_version"),
            attestedApp: attestedApp)
    }

    /// A device's key; a constraint of the table has an attested one name everything that it was attested with.
    private func deviceKey() throws(PostgresError) -> DeviceKey {
        let level: AttestationLevel = try value("level")
        switch level {
        case .secureEnclave:
            return try .attested(
                publicKey: bytes("public_key"), environment: value("environment"), appID: text("app_id"),
                trustRoot: text("trust_root"))
        case .unverified:
            return try .unverified(
                value("algorithm"), publicKey: bytesOptional("public_key"), reason: textOptional("unverified_reason"))
        }
    }

    /// The registration that holds a key, from the columns of that query.
    func keyHolder() throws(PostgresError) -> KeyHolder {
        try KeyHolder(
            level: value("level"), unverifiedReason: textOptional("unverified_reason"), isRevoked: bool("is_revoked"),
            isCompromised: bool("is_compromised"))
    }

    /// The attested app, from the columns that statements add to a device read for a decision or with its evidence.
    func attestedApp() throws(PostgresError) -> AttestedApp {
        try AttestedApp(
            bundleVersions: textArray("attested_bundle_versions").compactMap { $0 },
            validationCategories: int4Array("attested_categories").compactMap { $0.map { Int($0) } })
    }

    func risk() throws(PostgresError) -> DeviceRisk? {
        guard let metric = try int4Optional("risk_metric") else { return nil }
        return try DeviceRisk(metric: Int(metric), at: moment("risk_metric_at"))
    }

    func deviceCheck() throws(PostgresError) -> DeviceCheckState? {
        guard let standing: DeviceCheckState.Standing = try valueOptional("standing") else { return nil }
        return try DeviceCheckState(
            standing: standing, bit0: boolOptional("bit0"), bit1: boolOptional("bit1"),
            lastUpdate: textOptional("last_update"), reason: textOptional("check_reason"),
            checkedAt: moment("checked_at"))
    }

    func deviceRecord() throws(PostgresError) -> DeviceRecord {
        try DeviceRecord(
            registration: DeviceRegistration(
                device: device(attestedApp: attestedApp()),
                attestationObject: bytesOptional("attestation_object"),
                clientDataHash: bytesOptional("client_data_hash"),
                certificateChain: bytesArray("certificate_chain").compactMap { $0 }, receipt: bytesOptional("receipt"),
                osVersion: textOptional("os_version"),
                validationCategory: int4Optional("validation_category").map(Int.init),
                bundleVersion: textOptional("bundle_version"), deviceCheck: deviceCheck()),
            captureCounter: counter("capture_highest"), requestCounter: counter("request_highest"),
            lastSeen: moment("last_seen"), revokedReason: textOptional("revoked_reason"),
            revokedBy: textOptional("revoked_by"), supersededBy: uuidOptional("superseded_by").map(DeviceID.init),
            compromise: compromise())
    }

    private func compromise() throws(PostgresError) -> Compromise? {
        guard let since = try momentOptional("compromised_since") else { return nil }
        return try Compromise(since: since, reason: text("compromised_reason"), actor: text("compromised_by"))
    }

    func provenanceResult() throws(PostgresError) -> ProvenanceResult {
        let kept = try made("checks", ChecksJSON.decode(jsonb("checks")))
        let known = try risk()
        return try ProvenanceResult(
            id: CaptureID(uuid("id")), device: DeviceID(uuid("device_id")), keyID: keyIDOptional("key_id"),
            attestationLevel: value("level"), environment: valueOptional("environment"),
            appID: textOptional("app_id"), trustRoot: textOptional("trust_root"),
            counter: counterOptional("counter"),
            counterPolicy: made("counter_policy", CounterPolicy(text("counter_policy"))), binding: value("binding"),
            photoDigest: digest("photo_digest"), depthDigest: digest("depth_digest"),
            metadataDigest: digest("metadata_digest"), clientDataHash: digest("client_data_hash"),
            checks: kept.checks,
            verdict: value("verdict"), reason: reason(), confidence: value("confidence"),
            attempts: Int(int4("attempts")), isRedriven: bool("redriven"), capturedAt: momentOptional("captured_at"),
            receivedAt: moment("received_at"), claimedAt: kept.claimedAt, verifiedAt: moment("verified_at"),
            settledAt: moment("settled_at"), processorVersion: text("processor_version"),
            risk: kept.risk?.risk ?? known, riskWarning: kept.risk?.warning, rollout: kept.rollout,
            compromisedSince: momentOptional("compromised_since"))
    }

    func auditEntry() throws(PostgresError) -> AuditEntry {
        let json = try jsonb("details")
        // This store writes details as an object of texts.
        let details = try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))
        return try AuditEntry(
            at: moment("at"), actor: text("actor"), action: text("action"), subject: text("subject"),
            details: made("details", details))
    }
}
