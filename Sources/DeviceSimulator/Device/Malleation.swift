import Crypto

/// Makes the second form of an ECDSA signature: (r, n − s) is valid whenever (r, s) is.
enum Malleation {
    /// The order n of NIST P-256's group (SP 800-186 section 3.2.1.3), big-endian.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA,
        0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// DER of (r, n − s).
    static func mirrored(_ signature: P256.Signing.ECDSASignature) throws(SimulatorError) -> [UInt8] {
        let raw = Array(signature.rawRepresentation)
        var difference = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            let value = Int(order[index]) - Int(raw[32 + index]) - borrow
            borrow = value < 0 ? 1 : 0
            difference[index] = UInt8(truncatingIfNeeded: value)
        }
        do {
            let mirrored = try P256.Signing.ECDSASignature(rawRepresentation: raw.prefix(32) + difference)
            return Array(mirrored.derRepresentation)
        } catch {
            throw SimulatorError(.signature, "the mirrored signature cannot be written")
        }
    }
}
