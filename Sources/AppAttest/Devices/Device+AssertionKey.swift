package import CaptureModel

extension Device {
    /// Its key, ready for verification; `nil` when it cannot be read, so that no assertion verifies.
    package var assertionKey: AssertionKey? {
        publicKey.flatMap { try? AssertionKey($0, algorithm: algorithm) }
    }
}

extension AssertionKey {
    /// Parses a public key of a kind: X9.63, 65 bytes (P-256), or 32 raw bytes (Ed25519).
    ///
    /// - Throws: `AssertionError` with `PUBLIC_KEY_MALFORMED` for bytes that are no such key.
    package init(_ publicKey: [UInt8], algorithm: Device.KeyAlgorithm) throws(AssertionError) {
        switch algorithm {
        case .p256: try self.init(x963: publicKey)
        case .ed25519: try self.init(ed25519: publicKey)
        }
    }
}
