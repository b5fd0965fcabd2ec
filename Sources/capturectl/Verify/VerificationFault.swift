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
    /// What is wrong, with the fields by their keys in a JSON line.
    let detail: String
    /// The same for whoever has written a command line, with the fields by their flags.
    let usage: String

    /// A fault of a line as a whole.
    init(code: Code, detail: String) {
        (self.code, self.detail, usage) = (code, detail, detail)
    }

    private init(_ code: Code, _ fields: [String], joinedBy link: String = "", _ rule: String, hint: String = "") {
        let flags = fields.map { "--" + $0.split(separator: "_").joined(separator: "-") }
        self.code = code
        detail = "\(fields.joined(separator: link)) \(rule)"
        usage = "\(flags.joined(separator: link)) \(rule)\(hint)"
    }

    /// One of these was needed.
    static func missing(_ fields: String...) -> VerificationFault {
        VerificationFault(.fieldMissing, fields, joinedBy: " or ", "is missing")
    }

    /// What was given is not what it has to be.
    /// - Parameter hint: What else to say of a flag.
    static func invalid(_ field: String, _ rule: String, hint: String = "") -> VerificationFault {
        VerificationFault(.fieldInvalid, [field], rule, hint: hint)
    }

    /// No two of these go together.
    static func exclusive(_ fields: String...) -> VerificationFault {
        VerificationFault(.fieldInvalid, fields, joinedBy: " and ", "exclude each other")
    }
}
