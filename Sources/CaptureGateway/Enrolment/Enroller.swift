import CaptureModel
import CaptureStore
import Crypto
import Enrolment
import Logging
import Observability

/// Takes a device through the four steps of its enrolment.
struct Enroller: Sendable {
    let enrolment: EnrolmentDependencies
    let dependencies: GatewayDependencies
    /// How long the steps of an enrolment may take together.
    let lifetime: Duration
    /// How long a session is asked for again after its answer was lost: as long as an upload waits for its row.
    let doubtMax: Duration
    private let registration: Registrar
    private let keys: TrustedKeys

    init(
        enrolment: EnrolmentDependencies, configuration: GatewayConfiguration, dependencies: GatewayDependencies,
        registrar: Registrar
    ) {
        self.enrolment = enrolment
        self.dependencies = dependencies
        lifetime = configuration.validity.enrolmentLifetime
        doubtMax = configuration.intake.wait
        registration = registrar
        keys = configuration.trust.keys
    }

    // MARK: Steps

    /// Registers the device by its attestation of the session's challenge, which is used up whatever comes of it.
    func attest(
        _ offer: EnrolmentAttestationForm.Offer, _ logger: Logger
    ) async throws(APIError) -> EnrolmentSession {
        try await Registrar.counted { () async throws(APIError) -> EnrolmentSession in
            let session = try await kept(offer.session)
            if let refusal = session.refusal(of: .attestation, at: dependencies.now()) {
                return try await repeated(offer, refused: refusal)
            }
            guard let challenge = session.challenge else { throw APIError(EnrolmentRefusal.challengeUsed) }
            let claim = RegistrationClaim(
                evidence: offer.evidence, challenge: challenge, model: offer.model, hasLidar: offer.hasLidar)
            let registered = try await attested(claim, in: session, logger)
            let outcome = try await askingStore { () async throws(StoreError) in
                try await enrolment.store.attest(session.id, answering: challenge, as: registered)
            }
            switch outcome {
            case .success(let attested):
                Registrar.note(registered.device, logger)
                return attested
            // Another request was first, perhaps of the same device.
            case .failure(let refusal): return try await repeated(offer, refused: refusal)
            }
        }
    }

    /// Opens the password hash and keeps it.
    func setPassword(_ sealed: EnrolmentPasswordForm.Sealed) async throws(APIError) -> EnrolmentSession {
        let session = try await session(sealed.session, for: .password)
        guard let key = session.keys.first, key.id == sealed.keyID else {
            throw .invalid("key_id", "must be the password_key_id")
        }
        let channel = try channel(.password, of: session, key, device: sealed.deviceKey)
        let hash = try Self.passwordHash(channel, sealed)
        let now = dependencies.now()
        return try await taken { () async throws(StoreError) in
            try await enrolment.store.setPassword(hash, from: sealed.deviceKey, of: session.id, at: now)
        }
    }

    // MARK: Support

    /// The session, if the step is its next one, and its device's key, which was attested before, is still taken.
    func session(_ id: EnrolmentID, for step: EnrolmentStep) async throws(APIError) -> EnrolmentSession {
        let found = try await kept(id)
        if let refusal = found.refusal(of: step, at: dependencies.now()) { throw APIError(refusal) }
        _ = try await admitted(found.device)
        return found
    }

    private func kept(_ id: EnrolmentID) async throws(APIError) -> EnrolmentSession {
        let found = try await askingStore { () async throws(StoreError) in try await enrolment.store.enrolment(id) }
        guard let found else { throw APIError(EnrolmentRefusal.unknown) }
        return found
    }

    /// The answer to an attestation that the session does not take.
    ///
    /// If the session has taken an attestation of the same key and its password is next, this is the session as it
    /// stands: the first answer may have been lost.
    ///
    /// Whoever has the session learns nothing new from it. Nothing is registered: only a refusal is counted.
    /// - Throws: The refusal in any other case.
    private func repeated(
        _ offer: EnrolmentAttestationForm.Offer, refused refusal: EnrolmentRefusal
    ) async throws(APIError) -> EnrolmentSession {
        guard refusal == .wrongStep(expected: .password), case .attestation(_, let key) = offer.evidence else {
            throw APIError(refusal)
        }
        let session = try await kept(offer.session)
        if let refusal = session.refusal(of: .password, at: dependencies.now()) { throw APIError(refusal) }
        guard try await admitted(session.device).keyID == key else { throw APIError(refusal) }
        return session
    }

    /// The device of a session, if the configuration still takes its key, by the rule for requests and captures.
    ///
    /// Its app, environment or root may have been taken out of the configuration since it was attested.
    ///
    /// - Throws: `ATTESTATION_FAILED` with the reason: as it is configured now, the attestation would not be taken.
    private func admitted(_ id: DeviceID) async throws(APIError) -> Device {
        let found = try await askingStore { () async throws(StoreError) in try await dependencies.store.devices([id]) }
        guard let device = found[id] else {
            throw APIError(
                .internalError, "the request could not be completed",
                cause: .fault("the device of an enrolment is not registered"))
        }
        if let reason = keys.objection(to: device) {
            throw APIError(.attestationFailed, reason.explanation, reason: reason.rawValue)
        }
        return device
    }

    /// The registration of a claim if its key was attested; otherwise the record keeps the refusal.
    private func attested(
        _ claim: RegistrationClaim, in session: EnrolmentSession, _ logger: Logger
    ) async throws(APIError) -> DeviceRegistration {
        do throws(APIError) {
            return try registration.attested(claim, as: session.device, logger)
        } catch {
            let (reason, now) = (error.reason ?? error.code.rawValue, dependencies.now())
            try await askingStore { () async throws(StoreError) in
                try await enrolment.store.refuseAttestation(
                    of: session.id, answering: claim.challenge, reason: reason, at: now)
            }
            throw error
        }
    }

    /// Takes a step in the record, which still refuses it if another request was first.
    func taken(
        _ step: () async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal>
    ) async throws(APIError) -> EnrolmentSession {
        switch try await askingStore(step) {
        case .success(let session): return session
        case .failure(let refusal): throw APIError(refusal)
        }
    }

    /// The channel between the device and the holder of a transaction key.
    func channel(
        _ purpose: TransactionChannel.Purpose, of session: EnrolmentSession, _ key: EnrolmentSession.TransactionKey,
        device: [UInt8]
    ) throws(APIError) -> TransactionChannel {
        let privateKey: Curve25519.KeyAgreement.PrivateKey
        do {
            let bytes = try enrolment.seal.open(key.sealedPrivateKey ?? [], for: Self.purpose(of: key.id))
            privateKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        } catch {
            throw Self.unopened
        }
        do {
            return try TransactionChannel(
                purpose, session: session.id, keyID: key.id, transactionKey: privateKey, device: device)
        } catch {
            throw .invalid("encrypted_password_hash", "begins with no X25519 public key that can be used")
        }
    }

    /// The at-rest key is another one than when the session began.
    static let unopened = APIError(
        .internalError, "the request could not be completed",
        cause: .fault("a secret of an enrolment does not open: was its key taken out of enrolment.keyFile?"))

    static func purpose(of key: TransactionKeyID) -> String { "transaction-key|\(key)" }

    private static func passwordHash(
        _ channel: TransactionChannel, _ sealed: EnrolmentPasswordForm.Sealed
    ) throws(APIError) -> PasswordHash {
        let field = "encrypted_password_hash"
        let text: [UInt8]
        do {
            text = try channel.open(sealed.hash, nonce: sealed.nonce)
        } catch {
            throw APIError(
                .validationError, "was not sealed with these keys for this session", field: field,
                reason: "SEAL_INVALID")
        }
        do throws(PasswordHash.Fault) {
            return try PasswordHash(text)
        } catch {
            throw APIError(
                .validationError, "holds no Argon2id hash as a PHC string within its limits", field: field,
                reason: error.rawValue)
        }
    }
}
