/// Why a question could not even be asked: bad usage on the command line, an error in one line of many.
struct VerificationFault: Error {
    /// Names the kind of fault; the raw values are stable.
    enum Code: String {
        /// The line is not a JSON object.
        case lineMalformed = "LINE_MALFORMED"
        /// The line has more bytes than are read.
        case lineTooLong = "LINE_TOO_LONG"
        /// Something that is needed was not given.
        case fieldMissing = "FIELD_MISSING"
        /// Something that was given cannot be read.
        case fieldInvalid = "FIELD_INVALID"
    }

    let code: Code
    let detail: String

    static func missing(_ field: String) -> VerificationFault {
        VerificationFault(code: .fieldMissing, detail: "\(field) is missing")
    }

    static func invalid(_ field: String, _ rule: String) -> VerificationFault {
        VerificationFault(code: .fieldInvalid, detail: "\(field) \(rule)")
    }
}
