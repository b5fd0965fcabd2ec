package import CaptureModel

/// What somebody enters who was invited: 25 letters and digits, 125 random bits, as in `7K2QF-0ZC9M-…`.
///
/// The alphabet is Crockford's base 32, which has no I, L, O and U; I and L are read as 1, O as 0. PostgreSQL holds
/// ``digest`` only: with that much chance in a code, a plain hash of it tells nothing.
package struct InvitationCode: Sendable, Hashable, CustomStringConvertible {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let characters = 25
    private static let group = 5
    /// The longest text that is looked at: the code, and for each letter something that is passed over.
    private static let textBytesMax = 50

    private let letters: [UInt8]

    /// Makes a new one.
    package static func make(using generator: inout some RandomNumberGenerator) -> InvitationCode {
        InvitationCode(letters: generator.bytes(characters).map { alphabet[Int($0 & 31)] })
    }

    private init(letters: [UInt8]) {
        self.letters = letters
    }

    /// Reads a code as people enter and paste it: either case of ASCII, with hyphens, blanks and line ends anywhere or
    /// without; anything else is `nil`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.textBytesMax else { return nil }
        var letters: [UInt8] = []
        for character in text.utf8 where !Self.isPassedOver(character) {
            // Byte by byte: Unicode has other letters whose upper case is one of these, `ſ` for instance.
            let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
            let capital = isSmall ? character - 0x20 : character
            let letter: UInt8 =
                switch capital {
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                case UInt8(ascii: "O"): UInt8(ascii: "0")
                default: capital
                }
            guard Self.alphabet.contains(letter) else { return nil }
            letters.append(letter)
        }
        guard letters.count == Self.characters else { return nil }
        self.letters = letters
    }

    /// Hyphens, blanks, and the ends of lines (tab to carriage return).
    private static func isPassedOver(_ character: UInt8) -> Bool {
        character == UInt8(ascii: "-") || character == UInt8(ascii: " ") || (0x09...0x0D).contains(character)
    }

    /// Under what the record knows the invitation.
    package var digest: SHA256Digest { .hash(Array("invitation|".utf8) + letters) }

    /// In groups of five.
    package var description: String {
        stride(from: 0, to: Self.characters, by: Self.group)
            .map { String(decoding: letters[$0..<$0 + Self.group], as: UTF8.self) }
            .joined(separator: "-")
    }
}
