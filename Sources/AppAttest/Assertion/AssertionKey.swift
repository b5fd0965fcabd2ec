import Crypto

/// A device's public key, parsed once and good for any number of assertions.
public struct AssertionKey: Sendable {
    /// The key as X9.63: `04`, then 32 bytes each of x and y.
    public let x963: [UInt8]

    private let key: P256.Signing.PublicKey

    /// Parses the 65 bytes of an uncompressed point.
    ///
    /// - Throws: ``AssertionError`` with `PUBLIC_KEY_MALFORMED` for other bytes and for points off the curve.
    public init(x963: [UInt8]) throws(AssertionError) {
        guard x963.count == 65, let key = try? P256.Signing.PublicKey(x963Representation: x963) else {
            throw AssertionError(.publicKeyMalformed)
        }
        self.x963 = x963
        self.key = key
    }

    /// Whether a DER signature (SEQUENCE of r and s, nothing after it) covers a message.
    func isValid(_ signature: [UInt8], for message: SHA256.Digest) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        // The overload for digests would take the nonce as the hash; devices sign it as a message, hashed once more.
        return withUnsafeBytes(of: message) { message in
            key.isValidSignature(signature, for: UnsafeRawBufferPointer(message))
        }
    }
}
