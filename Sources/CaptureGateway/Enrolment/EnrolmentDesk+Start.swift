import CaptureModel
import CaptureStore
import Crypto
import Enrolment

extension EnrolmentDesk {
    /// Transaction keys of one session.
    private static let keysCount = 20

    /// Uses an invitation up and opens a session.
    func start(_ code: InvitationCode?, for device: DeviceID) async throws(APIError) -> EnrolmentSession {
        guard let code else { throw Self.unknownInvitation }
        let now = dependencies.now()
        // Twenty key pairs are work that only an open invitation is worth; `begin` has the last word on it.
        try Self.admit(
            await stored { () async throws(StoreError) in try await room.store.standing(of: code.digest, at: now) })
        let session = try makeSession(for: device, at: now)
        try Self.admit(await begin(session, code.digest, at: now))
        return session
    }

    /// Asks once more when the answer was lost: the same session begins again.
    private func begin(
        _ session: EnrolmentSession, _ code: CaptureModel.SHA256Digest, at now: Timestamp
    ) async throws(APIError) -> Invitation.Standing? {
        do throws(StoreError) {
            return try await room.store.begin(session, invited: code, at: now)
        } catch {
            guard error.code == .outcomeUnknown || error.code == .conflict else { throw .unavailable(error) }
        }
        return try await stored { () async throws(StoreError) in
            try await room.store.begin(session, invited: code, at: now)
        }
    }

    private static let unknownInvitation = APIError(.invitationUnknown, "there is no such invitation")

    private static func admit(_ standing: Invitation.Standing?) throws(APIError) {
        switch standing {
        case .open: return
        case .used: throw APIError(.invitationUsed, "the invitation was used before")
        case .expired: throw APIError(.invitationExpired, "the invitation was not used in time")
        case .revoked, nil: throw unknownInvitation
        }
    }

    private func makeSession(for device: DeviceID, at now: Timestamp) throws(APIError) -> EnrolmentSession {
        var generator = dependencies.generator
        var keys: [EnrolmentSession.TransactionKey] = []
        for _ in 0..<Self.keysCount { keys.append(try makeKey(using: &generator)) }
        return EnrolmentSession(
            id: .make(using: &generator), user: .make(using: &generator), device: device,
            expiresAt: now.advanced(by: configuration.enrolmentLifetime), challenge: generator.bytes(32), keys: keys)
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
                sealedPrivateKey: try room.seal.seal(bytes, for: Self.purpose(of: id), using: &generator))
        } catch {
            throw APIError(
                .internalError, "the request could not be completed", cause: .fault("no transaction key was made"))
        }
    }
}
