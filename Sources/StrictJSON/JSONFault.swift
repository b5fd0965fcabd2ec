/// Why JSON readers may understand a text differently.
package enum JSONFault: Error, Sendable, CaseIterable, CustomStringConvertible {
    /// The bytes are not UTF-8.
    case notUTF8
    /// The text is not one value by RFC 8259.
    case malformed
    /// A text has half a surrogate pair, whose meaning RFC 8259 (8.2) leaves open.
    case halfPair
    /// A number is larger than any `Double`: some readers take it for infinite, others refuse it (RFC 8259, 6).
    case numberTooLarge
    /// Objects and arrays are nested too deeply.
    case tooDeep
    /// A member's name has more than ``JSONWalk/nameBytesMax`` bytes.
    case nameTooLong
    /// A non-ASCII text has more bytes than its reader accepts.
    case textTooLong
    /// An object has two members with the same name.
    case memberTwice

    /// The fault in words for people; it never repeats input.
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
