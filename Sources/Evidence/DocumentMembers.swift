import StrictJSON

/// The members of a document whose text all JSON readers read alike.
struct DocumentMembers {
    /// The document's text: that of the member `data`, under which a gateway answers with it, or the whole.
    let document: [UInt8]
    /// The paths of the members that this release does not know: nothing verifies them.
    let unknown: [String]

    /// Checks the text as JSON, and its format; the decoder checks later whether it is a document.
    ///
    /// - Throws: ``EvidenceError`` when the text is not strict JSON, has two documents or one of another format, and
    ///   when it has more unknown members, longer names, or longer texts beyond ASCII than can be reported.
    init(of json: [UInt8]) throws(EvidenceError) {
        let outermost = try Self.members(json)
        guard let data = outermost.first(where: { $0.name == "data" }) else {
            document = json
            try Self.checkFormat(of: json)
            unknown = try Self.unknown(outermost, of: json)
            return
        }
        let names = Set(outermost.map(\.name))
        guard names.isDisjoint(with: EvidenceDocument.CodingKeys.allCases.map(\.rawValue)) else {
            throw EvidenceError(.malformed, "a document, and another one under data")
        }
        let inner = Array(json[data.value])
        document = inner
        try Self.checkFormat(of: inner)
        unknown =
            try Self.names(outermost, except: ["data", "meta"])
            + Self.unknown(Self.members(inner), of: inner)
    }

    /// The most members of one object that this release does not know: newer ones add a few.
    static let unknownMax = 64
    /// More bytes than any non-ASCII text of a document has: its long texts are base64.
    private static let textBytesMax = 1024

    private static func members(_ json: [UInt8]) throws(EvidenceError) -> [JSONMember] {
        do throws(JSONFault) {
            return try JSONWalk.members(of: json, textBytesMax: textBytesMax)
        } catch {
            throw EvidenceError(.malformed, "\(error)")
        }
    }

    /// Refuses another format first: the members of a newer one may be others.
    private static func checkFormat(of json: [UInt8]) throws(EvidenceError) {
        let document = try object(json)
        let name = EvidenceDocument.CodingKeys.format.rawValue
        let format: String
        do throws(JSONMemberFault) {
            format = try document.text(name)
        } catch {
            let isMissing = error == .missing || error == .null
            throw EvidenceError(isMissing ? .memberMissing : .memberInvalid, "\(name) \(error)")
        }
        guard format.utf8.elementsEqual(CaptureEvidence.format.utf8) else {
            throw EvidenceError(.formatUnknown, "\(name) is not \(CaptureEvidence.format)")
        }
    }

    private static func object(_ json: [UInt8]) throws(EvidenceError) -> JSONObject {
        let object: JSONObject?
        do throws(JSONFault) {
            object = try JSONObject(reading: json, depthMax: .max)
        } catch {
            throw EvidenceError(.malformed, "\(error)")
        }
        guard let object else { throw EvidenceError(.malformed, "not a JSON object") }
        return object
    }

    private static func unknown(_ document: [JSONMember], of json: [UInt8]) throws(EvidenceError) -> [String] {
        var unknown = try names(document, except: EvidenceDocument.CodingKeys.allCases.map(\.rawValue))
        for member in document {
            let known: [String]
            switch EvidenceDocument.CodingKeys(rawValue: member.name) {
            case .result: known = EvidenceDocument.Result.CodingKeys.allCases.map(\.rawValue)
            case .key: known = EvidenceDocument.Key.CodingKeys.allCases.map(\.rawValue)
            case .format, .assertion, .metadata, nil: continue
            }
            let inner = try members(Array(json[member.value]))
            unknown += try names(inner, except: known).map { "\(member.name).\($0)" }
        }
        return unknown
    }

    /// More than the limit cannot be reported, and must not be ignored either.
    private static func names(
        _ members: [JSONMember], except known: [String]
    ) throws(EvidenceError) -> [String] {
        let names = members.map(\.name).filter { !known.contains($0) }
        guard names.count <= unknownMax else {
            throw EvidenceError(.membersTooMany, "too many members that this release does not know")
        }
        return names
    }
}
