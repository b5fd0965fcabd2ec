import Crypto

/// A public key of Ed25519 with which only its owner can sign.
///
/// With a key of small order anybody can sign; for the key 1, one signature is valid for every message. RFC 8032
/// (5.1.7) leaves open whether such keys are accepted, and BoringSSL accepts them. Here they are refused.
struct Ed25519Key: Sendable {
    private let key: Curve25519.Signing.PublicKey

    /// Reads the 32 bytes of a key; `nil` for another number of bytes, and for a point of small order, however written.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32, !Self.hasSmallOrder(bytes),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
        else { return nil }
        self.key = key
    }

    /// Whether the 64 bytes of a signature cover a message.
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        key.isValidSignature(signature, for: message)
    }

    /// The highest bit is the sign of x, and both signs have the same order.
    private static func hasSmallOrder(_ bytes: [UInt8]) -> Bool {
        smallOrder.contains(Array(bytes.dropLast()) + bytes.suffix(1).map { $0 & 0x7F })
    }

    /// y of the points of order 1, 2, 4 and 8, little-endian, as libsodium's `ge25519_has_small_order` lists them.
    ///
    /// No other y below 2^255 is equal to one of them modulo p.
    private static let smallOrder: Set<[UInt8]> = [
        // 0 and 1.
        y(0x00, 0x00, 0x00), y(0x01, 0x00, 0x00),
        // Order 8.
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
        // p - 1, then p and p + 1, which are 0 and 1 again.
        y(0xEC, 0xFF, 0x7F), y(0xED, 0xFF, 0x7F), y(0xEE, 0xFF, 0x7F),
    ]

    /// 32 bytes that are equal except for the first and the last one.
    private static func y(_ first: UInt8, _ others: UInt8, _ last: UInt8) -> [UInt8] {
        [first] + [UInt8](repeating: others, count: 30) + [last]
    }
}
