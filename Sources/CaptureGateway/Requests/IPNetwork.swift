/// A network in CIDR notation (RFC 4632): an address and how many of its bits count.
struct IPNetwork: Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Reads `10.0.0.0/8`, `fd00::/8` or a single address.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let address = IPAddress(first) else { return nil }
        let width = address.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : width, (0...width).contains(bits) else { return nil }
        self.address = address
        self.bits = bits
    }

    /// Whether an address of the same family is within.
    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        for (index, pair) in zip(address.bytes, other.bytes).enumerated() {
            let left = bits - index * 8
            if left <= 0 { return true }
            let mask = left >= 8 ? 0xFF : UInt8(truncatingIfNeeded: 0xFF << (8 - left))
            if (pair.0 ^ pair.1) & mask != 0 { return false }
        }
        return true
    }
}
