import CaptureModel
import FoundationEssentials

/// A password's Argon2id hash as a PHC string, read strictly: `$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>`.
///
/// The device computes it; this system never sees the password. Only version 19 (RFC 9106) is read, with the parameters
/// in that order and without leading zeros, and salt and hash as base64 without padding. So each hash can be written in
/// one way only, and is stored as it was read.
package struct PasswordHash: Sendable, Equatable {
    /// Why a text is not an accepted hash; the raw values are part of the API.
    package enum Fault: String, Error, CaseIterable, Sendable {
        /// Not of the form above.
        case malformed = "PHC_MALFORMED"
        /// The hash is of another function, or of another version of it.
        case algorithm = "PHC_NOT_ARGON2ID"
        /// A parameter or length is out of range, or the costs are too low.
        ///
        /// That is memory, passes, lanes, or the length of salt or hash; or memory and passes together are less than
        /// any of ``PasswordHash/leastCosts``.
        case parameters = "PHC_PARAMETERS"
    }

    /// The longest text.
    package static let bytesMax = 256
    /// Kibibytes of memory and passes that are enough together, from OWASP's Password Storage Cheat Sheet.
    ///
    /// Less of the one takes more of the other.
    static let leastCosts: [(memory: Int, passes: Int)] = [
        (47_104, 1), (19_456, 2), (12_288, 3), (9216, 4), (7168, 5),
    ]
    /// Kibibytes of memory: from the lowest of ``leastCosts`` to 4 GiB.
    static let memoryRange = 7168...4_194_304
    /// Passes.
    static let passesRange = 1...64
    /// Lanes.
    static let lanesRange = 1...64
    /// Bytes of the salt.
    static let saltRange = 16...64
    /// Bytes of the hash.
    static let hashRange = 16...64

    /// The PHC string.
    package let text: String

    /// Reads a PHC string.
    package init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Self.bytesMax, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed
        }
        let fields = bytes.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count >= 2, fields[0].isEmpty else { throw .malformed }
        guard fields[1] == "argon2id" else { throw .algorithm }
        guard fields.count == 6 else { throw .malformed }
        guard fields[2] == "v=19" else { throw .algorithm }
        let parameters = fields[3].split(separator: ",", omittingEmptySubsequences: false)
        guard parameters.count == 3 else { throw .malformed }
        let memory = try Self.number(parameters[0], "m=", in: Self.memoryRange)
        let passes = try Self.number(parameters[1], "t=", in: Self.passesRange)
        _ = try Self.number(parameters[2], "p=", in: Self.lanesRange)
        guard Self.leastCosts.contains(where: { memory >= $0.memory && passes >= $0.passes }) else {
            throw .parameters
        }
        try Self.check(base64: fields[4], in: Self.saltRange)
        try Self.check(base64: fields[5], in: Self.hashRange)
        text = String(decoding: bytes, as: UTF8.self)
    }

    private static func number(
        _ parameter: Substring, _ name: String, in range: ClosedRange<Int>
    ) throws(Fault) -> Int {
        guard parameter.hasPrefix(name) else { throw .malformed }
        let text = parameter.dropFirst(name.utf8.count)
        let isDecimal = text.utf8.allSatisfy(\.isDecimalDigit)
        guard isDecimal, (1...10).contains(text.utf8.count), text == "0" || !text.hasPrefix("0"),
            let number = Int(text)
        else { throw .malformed }
        guard range.contains(number) else { throw .parameters }
        return number
    }

    private static func check(base64 text: String, in range: ClosedRange<Int>) throws(Fault) {
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        // Encoded again it must be the same: unused bits must be 0.
        guard !text.contains("="), let data = Data(base64Encoded: padded), data.base64EncodedString() == padded else {
            throw .malformed
        }
        guard range.contains(data.count) else { throw .parameters }
    }
}
