/// Why a question could not even be asked: bad usage on the command line, an error in one line of many.
struct VerificationFault: Error {
    /// Names the kind of fault; the raw values are stable.
    enum Code: String {
        /// The line is not a JSON object.
        case lineMalformed = "LINE_MALFORMED"
        /// The line has more bytes than are read.
        case lineTooLong = "LINE_TOO_LONG"
        /// A required field was not given.
        case fieldMissing = "FIELD_MISSING"
        /// A given field cannot be read.
        case fieldInvalid = "FIELD_INVALID"
    }

    let code: Code
    /// What is wrong, naming the fields by their keys in a JSON line.
    let detail: String
    /// What is wrong, naming the fields by their flags on the command line.
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

    /// One of these fields is required.
    static func missing(_ fields: String...) -> VerificationFault {
        VerificationFault(.fieldMissing, fields, joinedBy: " or ", "is missing")
    }

    /// The field's value breaks a rule.
    /// - Parameter hint: A remark on the flag.
    static func invalid(_ field: String, _ rule: String, hint: String = "") -> VerificationFault {
        VerificationFault(.fieldInvalid, [field], rule, hint: hint)
    }

    /// At most one of these fields may be given.
    static func exclusive(_ fields: String...) -> VerificationFault {
        VerificationFault(.fieldInvalid, fields, joinedBy: " and ", "exclude each other")
    }
}
