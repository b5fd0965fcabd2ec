import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials

extension Enroller {
    /// Bytes of a credential, and of a token.
    private static let secretBytes = 32

    /// Ends an enrolment with a credential and a token.
    ///
    /// The first package is kept, sealed, until the session is over, and is the answer to whoever asks again. So a lost
    /// answer costs nothing, and two requests that race get the same package.
    /// - Parameter choice: The transaction key for the credential; the first one that is left unless the device says.
    func finalize(
        _ id: EnrolmentID, choosing choice: TransactionKeyID?
    ) async throws(APIError) -> (EnrolmentSession, CredentialSecrets) {
        var session = try await session(id, for: .finalize)
        if session.state != .enrolled {
            let completion = try complete(session, choosing: choice)
            let now = dependencies.now()
            session = try await taken { () async throws(StoreError) in
                try await enrolment.store.finalize(id, with: completion, at: now)
            }
        }
        return (session, try secrets(of: session))
    }

    private func complete(
        _ session: EnrolmentSession, choosing choice: TransactionKeyID?
    ) throws(APIError) -> EnrolmentCompletion {
        let left = session.keys.filter { $0.sealedPrivateKey != nil }
        guard let key = left.first(where: { choice == nil || $0.id == choice }) else {
            throw .invalid("key_id", "must be a transaction key of this enrolment that is not used up")
        }
        var generator = dependencies.generator
        let credential = generator.bytes(Self.secretBytes)
        let token = Hex.encode(generator.bytes(Self.secretBytes))
        let nonce = generator.bytes(TransactionChannel.nonceBytes)
        let channel = try channel(.credential, of: session, key, device: session.deviceKey ?? [])
        do {
            let ciphertext = try channel.seal(credential, nonce: nonce)
            let secrets = CredentialSecrets(
                credential: .init(
                    keyID: "\(key.id)", nonce: Data(nonce).base64EncodedString(),
                    ciphertext: Data(ciphertext).base64EncodedString()),
                token: token)
            let package = try enrolment.seal.seal(
                Array(JSONEncoder().encode(secrets)), for: Self.purpose(of: session), using: &generator)
            return EnrolmentCompletion(
                key: key.id, token: .hash(Array(token.utf8)), credential: .hash(credential), package: package)
        } catch {
            throw APIError(
                .internalError, "the request could not be completed", cause: .fault("no credential was made"))
        }
    }

    private func secrets(of session: EnrolmentSession) throws(APIError) -> CredentialSecrets {
        // Emptied when the session was over by the record's clock, if not yet by ours.
        guard let package = session.package else { throw APIError(EnrolmentRefusal.expired) }
        do {
            let json = try enrolment.seal.open(package, for: Self.purpose(of: session))
            return try JSONDecoder().decode(CredentialSecrets.self, from: Data(json))
        } catch {
            throw Self.unopened
        }
    }

    private static func purpose(of session: EnrolmentSession) -> String { "package|\(session.id)" }
}
