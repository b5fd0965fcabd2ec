/// A registered device as the verification needs it.
package struct Device: Sendable, Equatable {
    /// The kind of its key.
    package enum KeyAlgorithm: String, Sendable, CaseIterable, Codable {
        /// ECDSA over NIST P-256: every App Attest key.
        case p256
        /// Ed25519: a software key, never attested.
        case ed25519
    }

    /// Its id.
    package let id: DeviceID
    /// Its key's id.
    package let keyID: KeyID
    /// Its public key, with what is known of it.
    package let key: DeviceKey
    /// `ios`.
    package let platform: String
    /// The hardware model as declared; ``modelUnknown`` when none was.
    package let model: String
    /// `true` when the device declares a LiDAR sensor, or says nothing about one.
    package let hasLidar: Bool
    /// When it was revoked.
    package let revokedAt: Timestamp?
    /// When it was registered.
    package let registeredAt: Timestamp
    /// What Apple says about the device's risk; `nil` before Apple has answered.
    package let risk: DeviceRisk?
    /// Whether Apple may still answer about its risk: there is a receipt, and the exchange of it has not ended.
    ///
    /// Set only where devices are read for a decision; `false` elsewhere.
    package let isRiskAwaited: Bool
    /// The system's version according to the latest attestation that names one.
    ///
    /// Later attestations that name none do not clear it.
    package let latestOSVersion: String?
    /// What its attestations say about the app.
    ///
    /// Set only where devices are read for a decision or with their evidence; empty elsewhere.
    package let attestedApp: AttestedApp

    /// Memberwise.
    package init(
        id: DeviceID, keyID: KeyID, key: DeviceKey, platform: String, model: String, hasLidar: Bool,
        revokedAt: Timestamp?, registeredAt: Timestamp, risk: DeviceRisk? = nil, isRiskAwaited: Bool = false,
        latestOSVersion: String? = nil, attestedApp: AttestedApp = AttestedApp()
    ) {
        self.id = id
        self.keyID = keyID
        self.key = key
        self.platform = platform
        self.model = model
        self.hasLidar = hasLidar
        self.revokedAt = revokedAt
        self.registeredAt = registeredAt
        self.risk = risk
        self.isRiskAwaited = isRiskAwaited
        self.latestOSVersion = latestOSVersion
        self.attestedApp = attestedApp
    }

    /// The platform of every device: no other one is taken.
    package static let platformTaken = "ios"

    /// The model of a device that does not declare one.
    package static let modelUnknown = "unknown"

    /// The reason of a device that offered a software key and signed with it.
    package static let attestationMissing = "ATTESTATION_MISSING"

    /// Whether its registration proved possession of the key, by a valid attestation or by a signature.
    package var hasProvedKey: Bool { Self.hasProvedKey(level: level, unverifiedReason: unverifiedReason) }

    /// Whether a registration with these two values proved possession of the key.
    package static func hasProvedKey(level: AttestationLevel, unverifiedReason: String?) -> Bool {
        level == .secureEnclave || unverifiedReason == attestationMissing
    }

    /// Whether the device is revoked by now.
    ///
    /// No revocation is ever noted for a moment to come. If its moment lies ahead, a clock was set back since.
    package var isRevoked: Bool { revokedAt != nil }
}
