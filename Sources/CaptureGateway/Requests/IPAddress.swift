import CaptureModel

/// An IPv4 or IPv6 address as bytes, for comparing with networks.
struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes, in network order.
    let bytes: [UInt8]
    /// As it was written.
    let description: String

    /// Reads an address without a port; an IPv4 address mapped into IPv6 (RFC 4291 section 2.5.5.2) counts as IPv4.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= 45, let all = Self.version6(text) ?? Self.version4(text) else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        bytes = all.count == 16 && all.starts(with: mapped) ? Array(all.suffix(4)) : all
        description = text
    }

    /// Four decimal numbers without leading zeros, which some readers take for octal.
    private static func version4(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in UInt8(part).flatMap { String($0) == part ? $0 : nil } }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    /// Eight groups of hexadecimal digits, `::` for a run of zeros, the last two also as IPv4 (RFC 4291 section 2.2).
    private static func version6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return groups(text).flatMap { $0.count == 16 ? $0 : nil } }
        guard let head = groups(halves[0]), let tail = groups(halves[1]), head.count + tail.count <= 14 else {
            return nil
        }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: some StringProtocol) -> [UInt8]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains("."), let last = version4(part) {
                bytes += last
            } else if (1...4).contains(part.utf8.count), part.utf8.allSatisfy(\.isHexDigit),
                let group = UInt16(part, radix: 16)
            {
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            } else {
                return nil
            }
        }
        return bytes
    }

    /// What a rate limit counts by: the address, or the network of 64 bits that a holder of
    /// IPv6 addresses chooses from.
    var limitKey: String {
        bytes.count == 4
            ? bytes.map { String($0) }.joined(separator: ".")
            : bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }

    static func == (left: IPAddress, right: IPAddress) -> Bool { left.bytes == right.bytes }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension UInt8 {
    /// Whether this ASCII character is a hexadecimal digit: numbers may not have signs here.
    fileprivate var isHexDigit: Bool {
        isDecimalDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
