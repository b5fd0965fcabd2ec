/// Why bytes are not evidence: one code for the first fault that was found.
///
/// Equal when the codes are equal. The description names the member with the fault; it never repeats input.
public struct EvidenceError: Error, Sendable {
    /// The kind of the fault.
    public let code: Code
    /// What is wrong, for people.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension EvidenceError {
    /// Names a kind of fault; the raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// More than ``CaptureEvidence/bytesMax`` bytes.
        case tooLarge = "EVIDENCE_TOO_LARGE"
        /// Not one object in JSON that all readers read alike: a member is there twice, or a text is too long.
        case malformed = "EVIDENCE_MALFORMED"
        /// `format` names another form than ``CaptureEvidence/format``, as that of a newer release.
        case formatUnknown = "FORMAT_UNKNOWN"
        /// A member that each document has is missing or null.
        case memberMissing = "MEMBER_MISSING"
        /// A member has a value of another type or out of range, or one that contradicts another member.
        case memberInvalid = "MEMBER_INVALID"
        /// More members that this release does not know, or more checks, than it can report.
        case membersTooMany = "MEMBERS_TOO_MANY"
    }
}

extension EvidenceError: Equatable {
    /// Whether both are faults of the same kind.
    public static func == (one: EvidenceError, other: EvidenceError) -> Bool { one.code == other.code }
}

extension EvidenceError: CustomStringConvertible {}

extension EvidenceError {
    /// A fault at a place of the document.
    ///
    /// All names of the path are ours: no member is a dictionary, whose keys would be input.
    init(_ code: Code, at path: [any CodingKey], _ fault: String) {
        let place = path.reduce("") { place, key in
            if let index = key.intValue { return "\(place)[\(index)]" }
            return place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)"
        }
        self.init(code, "\(place) \(fault)")
    }

    /// The decoder's fault, without its words: they repeat input.
    init(_ fault: DecodingError) {
        switch fault {
        case .keyNotFound(let key, let context):
            self.init(.memberMissing, at: context.codingPath + [key], "is missing")
        case .valueNotFound(_, let context):
            self.init(.memberMissing, at: context.codingPath, "must not be null")
        case .typeMismatch(_, let context):
            self.init(.memberInvalid, at: context.codingPath, "has a value of another type")
        case .dataCorrupted(let context):
            self.init(.memberInvalid, at: context.codingPath, "has a value out of range")
        @unknown default:
            self.init(.malformed, "not a document of \(CaptureEvidence.format)")
        }
    }
}
