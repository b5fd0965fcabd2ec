/// Sees to it that every reader of a JSON text finds the same members in it.
///
/// Of a member that is there twice some parsers take the first and others the last (RFC 8259 section 4): what was
/// verified would be one, and what people read the other. A name may be written with escapes as well, and is not here.
enum MemberNames {
    /// The names of the outermost object's members.
    ///
    /// The text need not be good JSON otherwise: whoever decodes it finds that out.
    /// - Throws: ``EvidenceError`` for a name that is there twice in an object or has an escape, and for what is no object
    ///   in UTF-8.
    static func ofOutermost(_ json: [UInt8]) throws(EvidenceError) -> Set<String> {
        // JSONDecoder takes UTF-16 and UTF-32 as well: in those each of JSON's own characters has a zero. And it takes
        // whatever is in members that it has no use for.
        guard json.first(where: { !isSpace($0) }) == UInt8(ascii: "{"), !json.contains(0),
            String(validating: json, as: UTF8.self) != nil
        else {
            throw EvidenceError("not a JSON object in UTF-8")
        }
        var open: [Set<String>] = []
        var outermost: Set<String> = []
        var index = json.startIndex
        while index < json.endIndex {
            switch json[index] {
            case UInt8(ascii: "{"): open.append([])
            case UInt8(ascii: "}"):
                let names = open.popLast() ?? []
                if open.isEmpty { outermost = names }
            case UInt8(ascii: "\""):
                let text = json[(index + 1)..<endOfText(json, from: index + 1)]
                index = text.endIndex
                if isName(json, endingAt: index) { try note(text, in: &open) }
            default: break
            }
            index += 1
        }
        return outermost
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Where the quotation mark is that ends a text, or the end of all.
    private static func endOfText(_ json: [UInt8], from start: Int) -> Int {
        var index = start
        while index < json.endIndex, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, json.endIndex)
    }

    /// Whether a colon follows the quotation mark at `end`.
    private static func isName(_ json: [UInt8], endingAt end: Int) -> Bool {
        json[min(end + 1, json.endIndex)...].first { !isSpace($0) } == UInt8(ascii: ":")
    }

    private static func note(_ text: ArraySlice<UInt8>, in open: inout [Set<String>]) throws(EvidenceError) {
        guard !open.isEmpty, !text.contains(UInt8(ascii: "\\")) else {
            throw EvidenceError("a member's name is no plain text")
        }
        guard open[open.count - 1].insert(String(decoding: text, as: UTF8.self)).inserted else {
            throw EvidenceError("a member is there twice")
        }
    }
}
