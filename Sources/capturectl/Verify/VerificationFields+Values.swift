import AppAttest
import CaptureModel
import Crypto
import FoundationEssentials

/// The fields as typed values.
extension VerificationFields {
    /// The apps given, at least one.
    func apps() throws(VerificationFault) -> [AppID] {
        guard !appIDs.isEmpty else { throw .missing("app_id") }
        var apps: [AppID] = []
        for text in appIDs {
            guard let app = AppID(text) else {
                throw .invalid(
                    "app_id", "takes team and bundle, as in ABCDE12345.com.example.app", hint: ", not '\(text)'")
            }
            apps.append(app)
        }
        return apps
    }

    /// Checks that all given values can be read, even if others are missing.
    func check() throws(VerificationFault) {
        if !appIDs.isEmpty { _ = try apps() }
        for name in Name.allCases { _ = try optional(name) }
        _ = try namedMoment()
        _ = try environments()
        _ = try namedReceiptType()
        _ = try trustRoots(orApples: .appleRootG3)
    }

    /// The one app that a key was registered for.
    func app() throws(VerificationFault) -> AppID {
        let apps = try apps()
        guard apps.count == 1, let app = apps.first else {
            throw .invalid("app_id", "is more than the one app that the key was registered for")
        }
        return app
    }

    /// The public key of an assertion; what is around an Ed25519 key in SubjectPublicKeyInfo is taken away, any other
    /// key is as in `publicKeyX963`.
    func assertionPublicKey() throws(VerificationFault) -> [UInt8] {
        let bytes = try required(.publicKey)
        guard bytes.count == Self.ed25519Head.count + 32, bytes.starts(with: Self.ed25519Head) else {
            return try publicKeyX963()
        }
        return Array(bytes.dropFirst(Self.ed25519Head.count))
    }

    /// DER of an Ed25519 key's SubjectPublicKeyInfo up to the key (RFC 8410, 4).
    private static let ed25519Head: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    /// The public key; one of P-256 in SubjectPublicKeyInfo is turned into X9.63, other bytes stay as they are.
    func publicKeyX963() throws(VerificationFault) -> [UInt8] {
        let bytes = try required(.publicKey)
        guard bytes.count != 65, let key = try? P256.Signing.PublicKey(derRepresentation: bytes) else { return bytes }
        return Array(key.x963Representation)
    }

    /// The clientDataHash as given, whatever its length, or the SHA-256 of the named field.
    func clientDataHash(orDigestOf name: Name) throws(VerificationFault) -> [UInt8] {
        guard let hash = try optionalClientDataHash(orDigestOf: name) else {
            throw .missing(name.rawValue, Name.clientDataHash.rawValue)
        }
        return hash
    }

    /// The clientDataHash, or the SHA-256 of the named field; `nil` if neither was given.
    func optionalClientDataHash(orDigestOf name: Name) throws(VerificationFault) -> [UInt8]? {
        switch (try optional(.clientDataHash), try optional(name)) {
        case (let hash?, nil): return hash
        case (nil, let data?): return SHA256Digest.hash(data).bytes
        case (nil, nil): return nil
        case (_?, _?): throw .exclusive(name.rawValue, Name.clientDataHash.rawValue)
        }
    }

    /// When the evidence was received; now if no time was given.
    func moment(_ now: TimeSource) throws(VerificationFault) -> Date {
        try namedMoment() ?? now().date
    }

    private func namedMoment() throws(VerificationFault) -> Date? {
        guard let at else { return nil }
        guard let moment = Timestamp(rfc3339: at) else {
            throw .invalid("at", "takes a time such as 2026-04-21T18:13:12Z", hint: ", not '\(at)'")
        }
        return moment.date
    }

    /// The type that a receipt must have; `nil` for any.
    func namedReceiptType() throws(VerificationFault) -> ReceiptType? {
        guard let receiptType, !Self.isAny(receiptType) else { return nil }
        guard let type = ReceiptType(word: receiptType) else {
            throw .invalid("type", "takes ATTEST, RECEIPT or any", hint: ", not '\(receiptType)'")
        }
        return type
    }

    /// The words for environments, for completion.
    static let environmentWords = ["production", "development", "any"]

    /// The environments that are accepted; `nil` when none was named.
    func environments() throws(VerificationFault) -> Set<AttestEnvironment>? {
        guard let environment else { return nil }
        if Self.isAny(environment) { return Set(AttestEnvironment.allCases) }
        guard let named = AttestEnvironment(word: environment) else {
            throw .invalid("environment", "takes production, development or any", hint: ", not '\(environment)'")
        }
        return [named]
    }

    private static func isAny(_ text: String) -> Bool { text.utf8.elementsEqual("any".utf8) }

    /// The roots given; Apple's if there are none.
    func trustRoots(orApples root: TrustRoot) throws(VerificationFault) -> [TrustRoot] {
        guard !roots.isEmpty else { return [root] }
        var trusted: [TrustRoot] = []
        for (index, pem) in roots.enumerated() {
            do throws(AttestationError) {
                trusted.append(try TrustRoot(pem: pem))
            } catch {
                let rule = "one certificate in PEM form, of an authority with a key of P-256, P-384 or P-521"
                let hint = rootFiles.indices.contains(index) ? ", which \(rootFiles[index]) is not" : ""
                throw .invalid("root", "takes exactly \(rule)", hint: hint)
            }
        }
        return trusted
    }
}
