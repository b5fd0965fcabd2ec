import CaptureModel
import CaptureStore
import Crypto
import Enrolment

extension Enroller {
    /// Transaction keys of one session.
    private static let keysCount = 20

    /// Uses an invitation up and opens a session, or finds the one that it has opened for this very device.
    func start(_ code: InvitationCode?, for device: DeviceID) async throws(APIError) -> EnrolmentSession {
        guard let code else { throw Self.unknownInvitation }
        let now = dependencies.now()
        let ids = enrolment.seal.sessions(of: code, for: device)
        // Twenty key pairs are work that only an open invitation is worth; `begin` has the last word on it.
        let standing = try await askingStore { () async throws(StoreError) in
            try await enrolment.store.standing(of: code.digest, at: now)
        }
        guard standing == .open else { return try await begun(ids, by: standing, at: now) }
        let session = try makeSession(ids[0], for: device, at: now)
        let opening = try await storedInDoubt(within: doubtMax, chance: dependencies.chance) {
            () async throws(StoreError) in
            try await enrolment.store.begin(session, invited: code.digest, at: now)
        }
        switch opening {
        case .begun: return session
        case .refused(let standing): return try await begun(ids, by: standing, at: now)
        case .registered:
            throw APIError(
                .conflict,
                "a device is registered under this id; the invitation is still good for a new device id and a new App "
                    + "Attest key")
        }
    }

    /// The session that an invitation has opened for this device, until its challenge is answered: the answer that told
    /// of it may have been lost.
    private func begun(
        _ ids: [EnrolmentID], by standing: Invitation.Standing?, at now: Timestamp
    ) async throws(APIError) -> EnrolmentSession {
        guard standing == .used else {
            throw standing == .expired
                ? APIError(.invitationExpired, "the invitation was not used in time") : Self.unknownInvitation
        }
        for id in ids {
            let found = try await askingStore { () async throws(StoreError) in try await enrolment.store.enrolment(id) }
            if let found, found.mayBeToldAgain(at: now) { return found }
        }
        throw APIError(.invitationUsed, "the invitation was used before")
    }

    private static let unknownInvitation = APIError(.invitationUnknown, "there is no such invitation")

    private func makeSession(
        _ id: EnrolmentID, for device: DeviceID, at now: Timestamp
    ) throws(APIError) -> EnrolmentSession {
        var generator = dependencies.generator
        var keys: [EnrolmentSession.TransactionKey] = []
        for _ in 0..<Self.keysCount { keys.append(try makeKey(using: &generator)) }
        return EnrolmentSession(
            id: id, user: .make(using: &generator), device: device,
            expiresAt: now.advanced(by: lifetime),
            challenge: generator.bytes(RegistrationClaim.challengeBytes), keys: keys)
    }

    private func makeKey(
        using generator: inout some RandomNumberGenerator
    ) throws(APIError) -> EnrolmentSession.TransactionKey {
        let id = TransactionKeyID.make(using: &generator)
        do {
            let bytes = generator.bytes(TransactionChannel.keyBytes)
            let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            return EnrolmentSession.TransactionKey(
                id: id, publicKey: Array(key.publicKey.rawRepresentation),
                sealedPrivateKey: try enrolment.seal.seal(bytes, for: Self.purpose(of: id), using: &generator))
        } catch {
            throw APIError(
                .internalError, "the request could not be completed", cause: .fault("no transaction key was made"))
        }
    }
}
