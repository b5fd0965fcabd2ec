package import CaptureModel

/// Divides devices into fixed parts: a percentage covers the buckets below it, so that raising it only adds devices.
package enum RolloutBucket {
    /// The number of buckets, each a hundredth of a percent of all devices.
    package static let count = 10_000

    /// Hashed before the key's id, so that the division is independent of other uses of the id.
    package static let domain = "capture-rollout-v1"
    private static let domainBytes = Array(domain.utf8)

    /// The bucket of a key.
    ///
    /// It is the first eight bytes (big-endian) of SHA-256 over `capture-rollout-v1` and the 32 bytes of the key's id,
    /// modulo ``count``. The key decides and not the device's id, which is new with each attempt to register.
    package static func of(_ key: KeyID) -> Int {
        let digest = SHA256Digest.hash(domainBytes + key.bytes).bytes
        let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(number % UInt64(count))
    }
}
