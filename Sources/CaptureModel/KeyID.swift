import Crypto

/// Names a device's key: SHA-256 over the public key as X9.63 (P-256) or as its 32 raw bytes (Ed25519).
///
/// For App Attest keys this is Apple's key identifier.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Takes exactly 32 bytes; any other count is `nil`.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The id of a public key.
    public init(publicKey: [UInt8]) {
        self.bytes = Array(SHA256.hash(data: publicKey))
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}
