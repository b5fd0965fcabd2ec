import CaptureModel
package import HTTPTypes

/// A registration whose fields have been checked; what it claims has not.
package struct RegistrationClaim: Sendable {
    /// What is to vouch for the key.
    enum Evidence: Sendable {
        /// Apple's attestation.
        case attestation(object: [UInt8], keyID: KeyID)
        /// Nothing but the key's signature over the challenge behind its purpose.
        case software(Device.KeyAlgorithm, key: [UInt8], signature: [UInt8])
    }

    let platform: String
    /// The model that the app names.
    package let model: String
    let hasLidar: Bool
    /// The challenge that the evidence is to answer, not yet used up.
    package let challenge: [UInt8]
    let evidence: Evidence

    /// Bytes of a challenge.
    static let challengeBytes = 32
    /// The longest attestation object; what has more is not one.
    private static let attestationBytesMax = 16 << 10
    /// The longest name of a model.
    static let modelBytesMax = 64

    /// Reads a request's body.
    ///
    /// - Throws: `VALIDATION_ERROR` that names the first field at fault; `UNSUPPORTED_MEDIA_TYPE`.
    package init(body: [UInt8], headers: HTTPFields) throws(APIError) {
        try self.init(JSONBody.decode(RegistrationRequest.self, from: body, headers: headers))
    }

    /// Checks every field.
    /// - Throws: `VALIDATION_ERROR` that names the first field at fault.
    init(_ request: RegistrationRequest) throws(APIError) {
        guard request.platform == Device.platformTaken else {
            throw .invalid("platform", "only \(Device.platformTaken) is supported")
        }
        platform = request.platform
        model = try Self.model(request.model)
        hasLidar = request.hasLidar
        switch (request.attestation, request.publicKey) {
        case (let attestation?, nil):
            evidence = try Self.evidence(attestation.attestationObject, attestation.keyID, in: "attestation.")
            challenge = try Self.challenge(attestation.challenge, "attestation.challenge")
        case (nil, let publicKey?):
            guard let algorithm = Device.KeyAlgorithm(word: publicKey.algorithm) else {
                throw .invalid("public_key.algorithm", "must be ed25519 or p256")
            }
            let sizes = Self.sizes(of: algorithm)
            let key = try Base64Field.read(publicKey.key, "public_key.key", sizes.key)
            challenge = try Self.challenge(publicKey.challenge, "public_key.challenge")
            let signature = try Base64Field.read(publicKey.signature, "public_key.signature", sizes.signature)
            evidence = .software(algorithm, key: key, signature: signature)
        case (nil, nil): throw .invalid("attestation", "is missing, and so is public_key")
        case (_?, _?): throw .invalid("public_key", "may not stand beside attestation")
        }
    }

    /// The claim of a phone that attests to a challenge which was kept for it.
    init(evidence: Evidence, challenge: [UInt8], model: String, hasLidar: Bool) {
        platform = Device.platformTaken
        self.model = model
        self.hasLidar = hasLidar
        self.challenge = challenge
        self.evidence = evidence
    }

    private static func challenge(_ text: String, _ field: String) throws(APIError) -> [UInt8] {
        try Base64Field.read(text, field, challengeBytes...challengeBytes)
    }

    /// Checks the name of a model.
    static func model(_ text: String) throws(APIError) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard (1...modelBytesMax).contains(text.utf8.count), isPlain else {
            throw .invalid("model", "must be 1 to \(modelBytesMax) printable characters of ASCII")
        }
        return text
    }

    /// Checks the two fields of an attestation; `parent` is what stands before their names.
    static func evidence(_ object: String, _ keyID: String, in parent: String = "") throws(APIError) -> Evidence {
        let bytes = try Base64Field.read(keyID, "\(parent)key_id", 32...32)
        let object = try Base64Field.read(object, "\(parent)attestation_object", 1...attestationBytesMax)
        guard let keyID = KeyID(bytes: bytes) else { throw .invalid("\(parent)key_id", "must be 32 bytes") }
        return .attestation(object: object, keyID: keyID)
    }

    /// Bytes of a key (raw, or X9.63) and of its signature (raw, or DER).
    static func sizes(
        of algorithm: Device.KeyAlgorithm
    ) -> (key: ClosedRange<Int>, signature: ClosedRange<Int>) {
        switch algorithm {
        case .ed25519: (32...32, 64...64)
        case .p256: (65...65, 8...72)
        }
    }
}
