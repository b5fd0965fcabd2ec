package import CaptureModel

/// The code that an invited person enters: 25 letters and digits, 125 random bits, as in `7K2QF-0ZC9M-…`.
///
/// The alphabet is Crockford's base 32, which has no I, L, O and U; I and L are read as 1, O as 0. PostgreSQL stores
/// only ``digest``: a code has so many random bits that a plain hash of it reveals nothing.
package struct InvitationCode: Sendable, Hashable, CustomStringConvertible {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let characters = 25
    private static let group = 5
    /// The longest text that is read: the code, and for each letter one ignored character.
    private static let textBytesMax = 50

    private let letters: [UInt8]

    /// Makes a new one.
    package static func make(using generator: inout some RandomNumberGenerator) -> InvitationCode {
        InvitationCode(letters: generator.bytes(characters).map { alphabet[Int($0 & 31)] })
    }

    private init(letters: [UInt8]) {
        self.letters = letters
    }

    /// Reads a code as people enter and paste it; anything else is `nil`.
    ///
    /// Letters may have either case of ASCII; hyphens, blanks and line ends are ignored.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.textBytesMax else { return nil }
        var letters: [UInt8] = []
        for character in text.utf8 where !Self.isPassedOver(character) {
            // Byte by byte: the upper case of some other letters of Unicode is one of these, for instance that of `ſ`.
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

    /// The record's key of the invitation.
    package var digest: SHA256Digest { .hash(Array("invitation|".utf8) + letters) }

    /// The code in groups of five.
    package var description: String {
        stride(from: 0, to: Self.characters, by: Self.group)
            .map { String(decoding: letters[$0..<$0 + Self.group], as: UTF8.self) }
            .joined(separator: "-")
    }
}
