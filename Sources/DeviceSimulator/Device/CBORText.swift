/// Writes the few CBOR items that attestations and assertions consist of (RFC 8949 section 4.2.1: shortest form).
///
/// Items are bytes, so that a flaw can put anything anywhere.
enum CBORText {
    /// Major type 0 or 1.
    static func integer(_ value: Int) -> [UInt8] {
        value >= 0 ? head(0, UInt64(value)) : head(1, UInt64(-1 - value))
    }

    /// Major type 2.
    static func bytes(_ value: [UInt8]) -> [UInt8] { head(2, UInt64(value.count)) + value }

    /// Major type 3.
    static func text(_ value: String) -> [UInt8] { head(3, UInt64(value.utf8.count)) + Array(value.utf8) }

    /// Major type 4.
    static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, UInt64(items.count)) + items.joined() }

    /// Major type 5, in the order given.
    static func map(_ entries: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
        head(5, UInt64(entries.count)) + entries.flatMap { $0.key + $0.value }
    }

    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        func tail(_ additional: UInt8, _ width: Int) -> [UInt8] {
            [major << 5 | additional]
                + (0..<width).reversed().map { UInt8(truncatingIfNeeded: argument >> UInt64(8 * $0)) }
        }
        return switch argument {
        case ..<24: [major << 5 | UInt8(argument)]
        case ..<0x100: tail(24, 1)
        case ..<0x1_0000: tail(25, 2)
        case ..<0x1_0000_0000: tail(26, 4)
        default: tail(27, 8)
        }
    }
}
