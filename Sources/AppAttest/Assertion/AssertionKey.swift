import Crypto
import MultiBufferP256

/// A device's public key, parsed once and good for any number of assertions.
///
/// App Attest keys are P-256. Apps without App Attest sign objects of the same form with keys of their own, which may
/// also be Ed25519; no attestation vouches for those. Such a key signs other messages in the same way as a nonce, for
/// instance that of a registration: none of them may be 32 bytes that somebody else has chosen.
public struct AssertionKey: Sendable {
    private enum Kind {
        case p256(P256.Signing.PublicKey, LaneKey)
        case ed25519(Ed25519Key)
    }

    private let kind: Kind

    /// Parses the 65 bytes of an uncompressed point of P-256.
    ///
    /// - Throws: ``AssertionError`` with `PUBLIC_KEY_MALFORMED` for other bytes and for points off the curve.
    public init(x963: [UInt8]) throws(AssertionError) {
        guard x963.count == 65, let key = try? P256.Signing.PublicKey(x963Representation: x963) else {
            throw AssertionError(.publicKeyMalformed)
        }
        kind = .p256(key, LaneKey(key))
    }

    /// Parses the 32 bytes of an Ed25519 key.
    ///
    /// - Throws: ``AssertionError`` with `PUBLIC_KEY_MALFORMED` for another number of bytes and for points of small
    ///   order.
    public init(ed25519: [UInt8]) throws(AssertionError) {
        guard let key = Ed25519Key(ed25519) else { throw AssertionError(.publicKeyMalformed) }
        kind = .ed25519(key)
    }

    /// Parses a key whose kind its length shows: one of Ed25519 has 32 bytes, one of P-256 in X9.63 has 65.
    ///
    /// - Throws: ``AssertionError`` with `PUBLIC_KEY_MALFORMED` for bytes that are neither.
    package init(_ publicKey: [UInt8]) throws(AssertionError) {
        if publicKey.count == 32 { try self.init(ed25519: publicKey) } else { try self.init(x963: publicKey) }
    }

    /// Whether a signature covers a message: DER (SEQUENCE of r and s, nothing after it), or the 64 bytes of Ed25519.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch kind {
        case .p256(let key, _):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .ed25519(let key): return key.isValid(signature, for: message)
        }
    }

    /// Step 3: ECDSA with SHA-256 over the nonce as the message, so that the signed data are hashed twice.
    func requireSignature(_ signature: [UInt8], over nonce: SHA256.Digest) throws(AssertionError) {
        guard isValid(signature, for: Array(nonce)) else { throw AssertionError(.signatureInvalid) }
    }

    /// The claim that a signature covers a message; `nil` for malformed signatures and for Ed25519.
    func claim(_ signature: [UInt8], of message: SHA256.Digest) -> SignatureClaim? {
        guard case .p256(_, let key) = kind,
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return nil }
        return SignatureClaim(
            signature, by: key, of: withUnsafeBytes(of: message) { SHA256.hash(data: $0) })
    }
}
