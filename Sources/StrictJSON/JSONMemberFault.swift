/// Why a member of a JSON object cannot be read as the expected type.
package enum JSONMemberFault: Error, Equatable, CustomStringConvertible {
    /// There is no member with this name.
    case missing
    /// It is `null`.
    case null
    /// It is of another type.
    case otherType

    /// The fault in words, for a sentence that begins with the member's name.
    package var description: String {
        switch self {
        case .missing: "is missing"
        case .null: "must not be null"
        case .otherType: "is of another type"
        }
    }
}
