package import CaptureModel
package import Enrolment

/// One attempt to enrol, as the record holds it.
package struct EnrolmentSession: Sendable, Equatable {
    /// An X25519 key pair whose private half is this system's.
    package struct TransactionKey: Sendable, Equatable {
        /// Its name.
        package let id: TransactionKeyID
        /// The public half: 32 bytes.
        package let publicKey: [UInt8]
        /// The private half, sealed; `nil` once the key is used up.
        package let sealedPrivateKey: [UInt8]?

        /// Memberwise.
        package init(id: TransactionKeyID, publicKey: [UInt8], sealedPrivateKey: [UInt8]?) {
            self.id = id
            self.publicKey = publicKey
            self.sealedPrivateKey = sealedPrivateKey
        }
    }

    /// Its name, which only the device knows.
    package let id: EnrolmentID
    /// The user that it enrols.
    package let user: UserGUID
    /// The device, registered under this id as soon as its key is attested.
    package let device: DeviceID
    /// How far it has come.
    package let state: EnrolmentState
    /// Until when steps may be taken.
    package let expiresAt: Timestamp
    /// The challenge of the attestation; `nil` once it was answered.
    package let challenge: [UInt8]?
    /// The device's X25519 key, with which it has sealed the password hash.
    package let deviceKey: [UInt8]?
    /// The transaction keys in their order; the first one is for the password.
    package let keys: [TransactionKey]
    /// The sealed answer of ``EnrolmentStep/finalize``; `nil` before that step, and after the session.
    package let package: [UInt8]?
    /// From when on its device is revoked.
    package let revokedAt: Timestamp?

    /// Memberwise.
    package init(
        id: EnrolmentID, user: UserGUID, device: DeviceID, state: EnrolmentState = .attestationRequired,
        expiresAt: Timestamp, challenge: [UInt8]?, deviceKey: [UInt8]? = nil, keys: [TransactionKey],
        package: [UInt8]? = nil, revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.user = user
        self.device = device
        self.state = state
        self.expiresAt = expiresAt
        self.challenge = challenge
        self.deviceKey = deviceKey
        self.keys = keys
        self.package = package
        self.revokedAt = revokedAt
    }

    /// Whether the session's first answer may be repeated at a moment: its challenge is unanswered.
    package func mayBeToldAgain(at now: Timestamp) -> Bool {
        challenge != nil && refusal(of: .attestation, at: now) == nil
    }

    /// Why a step may not be taken at a moment; `nil` when it may.
    package func refusal(of step: EnrolmentStep, at now: Timestamp) -> EnrolmentRefusal? {
        if now >= expiresAt { return .expired }
        guard state.nextStep == step else { return .wrongStep(expected: state.nextStep) }
        // Before its attestation, a device of that id is another one: the attestation is a conflict and used up.
        return step != .attestation && revokedAt != nil ? .revoked : nil
    }
}
