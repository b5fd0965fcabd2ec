package import CaptureModel
import FoundationEssentials
import NIOHTTP1

/// An enrolment that has begun.
package struct EnrolmentTicket: Sendable, Equatable {
    /// A transaction key's public half.
    package struct Key: Sendable, Equatable {
        /// Its name: a UUID.
        package let id: String
        /// Its 32 bytes.
        package let publicKey: [UInt8]

        /// Memberwise.
        package init(id: String, publicKey: [UInt8]) {
            self.id = id
            self.publicKey = publicKey
        }
    }

    /// The session: a UUID that only the device knows.
    package let session: String
    /// Who is enrolled.
    package let user: String
    /// What the device attests to.
    package let challenge: [UInt8]
    /// The transaction keys, the password's first.
    package let keys: [Key]

    /// Memberwise.
    package init(session: String, user: String, challenge: [UInt8], keys: [Key]) {
        self.session = session
        self.user = user
        self.challenge = challenge
        self.keys = keys
    }
}

/// What a device has once it is enrolled.
package struct CredentialPackage: Sendable, Equatable {
    /// Who is enrolled.
    package let user: String
    /// The device.
    package let device: DeviceID
    /// The transaction key that the credential is sealed with.
    package let credentialKey: String
    /// The nonce that it is sealed with.
    package let nonce: [UInt8]
    /// The credential's ciphertext and tag.
    package let ciphertext: [UInt8]
    /// The token.
    package let token: String
    /// The transaction keys that are left.
    package let keys: [EnrolmentTicket.Key]
}

extension GatewayClient {
    /// Uses an invitation up and begins an enrolment.
    package func startEnrolment(invitation: String, device: DeviceID) async throws(GatewayError) -> EnrolmentTicket {
        let data = try await enrol(
            "start", ["invitation_code": invitation, "device_id": "\(device)", "device_type": "ios"])
        guard let session = data["enrollment_session_id"]?.string, let user = data["user_guid"]?.string,
            let challenge = Self.bytes(data["attestation_challenge"])
        else { throw .malformedAnswer("no enrolment session") }
        return EnrolmentTicket(
            session: session, user: user, challenge: challenge, keys: try Self.keys(data["transaction_keys"]))
    }

    /// Attests the enrolling device's key; answers with the transaction key for the password hash.
    ///
    /// Asked again with the same key, a gateway gives the same answer until the password is set. After that it refuses
    /// with `WRONG_STEP` and the expected step `finalize`: then it has taken both the attestation and the password.
    package func attestEnrolment(
        _ ticket: EnrolmentTicket, keyID: [UInt8], attestation: [UInt8], model: String
    ) async throws(GatewayError) -> EnrolmentTicket.Key {
        let data = try await enrol(
            "attestation/ios",
            [
                "enrollment_session_id": ticket.session, "key_id": Data(keyID).base64EncodedString(),
                "attestation_object": Data(attestation).base64EncodedString(), "model": model,
            ])
        guard let key = ticket.keys.first(where: { $0.id == data["password_key_id"]?.string }) else {
            throw .malformedAnswer("no key for the password")
        }
        return key
    }

    /// Sets the password hash.
    ///
    /// If the answer to an attempt was lost and the next attempt hears that `finalize` is next, the password is set:
    /// the call succeeds, as its answer says nothing else. A caller that repeats the call gets the refusal `WRONG_STEP`
    /// with the expected step `finalize`, and goes on with the key that sealed the hash.
    /// - Parameter sealed: The device's public key, ciphertext and tag.
    package func setEnrolmentPassword(
        _ ticket: EnrolmentTicket, sealed: [UInt8], key: EnrolmentTicket.Key, nonce: [UInt8]
    ) async throws(GatewayError) {
        _ = try await enrol(
            "set-password",
            [
                "enrollment_session_id": ticket.session, "key_id": key.id,
                "encrypted_password_hash": Data(sealed).base64EncodedString(),
                "nonce": Data(nonce).base64EncodedString(),
            ], following: .finalize)
    }

    /// Ends an enrolment; asked again, the gateway gives the same credential package.
    package func finalizeEnrolment(_ ticket: EnrolmentTicket) async throws(GatewayError) -> CredentialPackage {
        let package = try await enrol("finalize", ["enrollment_session_id": ticket.session])["credential_package"]
        let credential = package?["credential"]
        guard let user = package?["user_guid"]?.string,
            let device = package?["device_id"]?.string.flatMap({ DeviceID($0) }),
            let key = credential?["key_id"]?.string, let nonce = Self.bytes(credential?["nonce"]),
            let ciphertext = Self.bytes(credential?["ciphertext"]), let token = package?["token"]?.string
        else { throw .malformedAnswer("no credential package") }
        return CredentialPackage(
            user: user, device: device, credentialKey: key, nonce: nonce, ciphertext: ciphertext, token: token,
            keys: try Self.keys(package?["transaction_keys"]))
    }

    private func enrol(
        _ step: String, _ body: [String: String], following: EnrolmentStep? = nil
    ) async throws(GatewayError) -> JSONValue {
        let call = try Call(
            method: .POST, path: "/vault/enroll/\(step)", headers: ["Content-Type": "application/json"],
            body: Self.json(body), following: following)
        return try await send(call).data
    }

    private static func keys(_ json: JSONValue?) throws(GatewayError) -> [EnrolmentTicket.Key] {
        var keys: [EnrolmentTicket.Key] = []
        for key in json?.array ?? [] {
            guard let id = key["key_id"]?.string, let publicKey = bytes(key["public_key"]) else {
                throw .malformedAnswer("a transaction key without its bytes")
            }
            keys.append(EnrolmentTicket.Key(id: id, publicKey: publicKey))
        }
        return keys
    }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? {
        json?.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}
