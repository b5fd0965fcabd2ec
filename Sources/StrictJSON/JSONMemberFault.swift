/// Why a member of a JSON object cannot be read as the expected type.
package enum JSONMemberFault: Error, Equatable, CustomStringConvertible {
    /// There is no member with this name.
    case missing
    /// It is `null`.
    case null
    /// It is not a string, as its reader expects.
    case notString
    /// It is not a number, as its reader expects.
    case notNumber
    /// It is not an object, as its reader expects.
    case notObject

    /// The fault in words, for a sentence that begins with the member's name.
    package var description: String {
        switch self {
        case .missing: "is missing"
        case .null: "must not be null"
        case .notString: "must be a string"
        case .notNumber: "must be a number"
        case .notObject: "must be an object"
        }
    }
}
