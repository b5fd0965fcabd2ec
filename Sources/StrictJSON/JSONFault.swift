/// Why readers may differ in what a text says.
package enum JSONFault: Error, Sendable, CaseIterable, CustomStringConvertible {
    /// The bytes are not UTF-8.
    case notUTF8
    /// The text is not one value as RFC 8259 has it.
    case malformed
    /// A text has half a surrogate pair: what comes of it RFC 8259 (8.2) leaves to its readers.
    case halfPair
    /// A number is larger than any `Double`, which some take for infinite and others refuse (RFC 8259, 6).
    case numberTooLarge
    /// Objects and arrays lie too deep in each other.
    case tooDeep
    /// A member's name has more than ``JSONWalk/nameBytesMax`` bytes.
    case nameTooLong
    /// A text beyond ASCII has more bytes than whoever reads it takes.
    case textTooLong
    /// An object has two members of one name.
    case memberTwice

    /// The same in words for people; it never repeats input.
    package var description: String {
        switch self {
        case .notUTF8: "not UTF-8"
        case .malformed: "not JSON (RFC 8259)"
        case .halfPair: "a text has half a surrogate pair"
        case .numberTooLarge: "a number is too large"
        case .tooDeep: "nested too deep"
        case .nameTooLong: "a member's name has more than \(JSONWalk.nameBytesMax) bytes"
        case .textTooLong: "a text beyond ASCII is too long"
        case .memberTwice: "a member is there twice"
        }
    }
}
