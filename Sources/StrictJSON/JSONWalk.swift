/// Goes once through a JSON text and takes it by the letter (RFC 8259), so that all readers find the same in it.
///
/// Of a member that is there twice some take the first and others the last (section 4), and what is no JSON to one may
/// be some to another: what was verified would be one thing, and what people read another. Half a surrogate pair and a
/// number beyond `Double` are JSON, and refused for the same reason.
///
/// ```swift
/// let members = try JSONWalk.members(of: Array(#"{"a": [1]}"#.utf8))    // "a", 6..<9
/// ```
package struct JSONWalk {
    /// The longest name of a member, escapes as they are: to compare names of combining marks takes a time that grows
    /// with the square of their length, here and in every decoder that comes after.
    package static let nameBytesMax = 128

    private let text: [UInt8]
    private let depthMax: Int
    private let textBytesMax: Int
    private var position = 0
    private var outermost: [JSONMember] = []

    private init(_ text: [UInt8], depthMax: Int, textBytesMax: Int) {
        self.text = text
        self.depthMax = depthMax
        self.textBytesMax = textBytesMax
    }

    /// The members of the outermost object, in their order; none where the text is another value.
    ///
    /// - Parameters:
    ///   - depthMax: How deep objects and arrays may lie in each other.
    ///   - textBytesMax: The most bytes, escapes as they are, of a value that is a text beyond ASCII: comparing one takes
    ///     the square of its length, as with names.
    /// - Throws: ``JSONFault`` for the first thing that is wrong.
    @discardableResult
    package static func members(
        of text: [UInt8], depthMax: Int = 64, textBytesMax: Int = .max
    ) throws(JSONFault) -> [JSONMember] {
        guard String(validating: text, as: UTF8.self) != nil else { throw .notUTF8 }
        var walk = JSONWalk(text, depthMax: depthMax, textBytesMax: textBytesMax)
        try walk.value(inside: 0)
        walk.skipSpace()
        guard walk.position == text.endIndex else { throw .malformed }
        return walk.outermost
    }

    /// The next byte; behind the end a zero, which JSON has nowhere.
    private var current: UInt8 { position < text.endIndex ? text[position] : 0 }

    private mutating func skipSpace() {
        while Self.isSpace(current) { position += 1 }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    @discardableResult
    private mutating func value(inside depth: Int) throws(JSONFault) -> Range<Int> {
        skipSpace()
        let start = position
        switch current {
        case UInt8(ascii: "{"): try object(at: depth + 1)
        case UInt8(ascii: "["): try array(at: depth + 1)
        case UInt8(ascii: "\""): try textValue()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
        return start..<position
    }

    private mutating func object(at depth: Int) throws(JSONFault) {
        guard try enter(at: depth, closing: UInt8(ascii: "}")) else { return }
        // Canonically equivalent names count as equal, as they are to Swift's own readers.
        var names: Set<String> = []
        repeat {
            let name = try name()
            guard names.insert(name).inserted else { throw .memberTwice }
            let range = try value(inside: depth)
            if depth == 1 { outermost.append(JSONMember(name: name, value: range)) }
        } while try goesOn(closing: UInt8(ascii: "}"))
    }

    private mutating func array(at depth: Int) throws(JSONFault) {
        guard try enter(at: depth, closing: UInt8(ascii: "]")) else { return }
        repeat { try value(inside: depth) } while try goesOn(closing: UInt8(ascii: "]"))
    }

    /// Moves behind an opening bracket, and behind its closing one where nothing is between; whether there is.
    private mutating func enter(at depth: Int, closing end: UInt8) throws(JSONFault) -> Bool {
        guard depth <= depthMax else { throw .tooDeep }
        position += 1
        skipSpace()
        guard current == end else { return true }
        position += 1
        return false
    }

    /// Moves behind a comma or a closing bracket; whether it was the comma.
    private mutating func goesOn(closing end: UInt8) throws(JSONFault) -> Bool {
        skipSpace()
        guard current == end || current == UInt8(ascii: ",") else { throw .malformed }
        defer { position += 1 }
        return current != end
    }

    /// Reads a member's name, and moves behind its colon.
    private mutating func name() throws(JSONFault) -> String {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw .malformed }
        let content = try string()
        guard content.count <= Self.nameBytesMax else { throw .nameTooLong }
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw .malformed }
        position += 1
        return content.contains(UInt8(ascii: "\\"))
            ? String(unescaping: content) : String(decoding: content, as: UTF8.self)
    }

    /// Moves behind a text that is a value.
    private mutating func textValue() throws(JSONFault) {
        let content = try string()
        guard content.count > textBytesMax else { return }
        guard Self.isASCII(content) else { throw .textTooLong }
    }

    /// Whether a string whose escapes are well-formed stands for ASCII: writers escape `/`, `+` and others of base64.
    private static func isASCII(_ content: ArraySlice<UInt8>) -> Bool {
        var rest = content
        while let byte = rest.popFirst() {
            guard byte < 0x80 else { return false }
            guard byte == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u") else { continue }
            // The first three digits of four.
            let digits = Array(rest.prefix(3))
            guard digits[0] == UInt8(ascii: "0"), digits[1] == UInt8(ascii: "0"), digits[2] < UInt8(ascii: "8") else {
                return false
            }
        }
        return true
    }

    /// Moves behind the closing quotation mark; what is between the two, escapes as they are.
    @discardableResult
    private mutating func string() throws(JSONFault) -> ArraySlice<UInt8> {
        position += 1
        let start = position
        while true {
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                return text[start..<position - 1]
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw .malformed
            default: position += 1
            }
        }
    }

    /// Moves behind an escape, or behind the two that are a surrogate pair.
    private mutating func escape() throws(JSONFault) {
        guard let unit = try escapedUnit() else { return }
        guard !UTF16.isTrailSurrogate(unit) else { throw .halfPair }
        guard UTF16.isLeadSurrogate(unit) else { return }
        guard current == UInt8(ascii: "\\"), let next = try escapedUnit(), UTF16.isTrailSurrogate(next) else {
            throw .halfPair
        }
    }

    /// Moves behind one escape; the unit of UTF-16 where it is written as one.
    private mutating func escapedUnit() throws(JSONFault) -> UInt16? {
        position += 1
        let isUnit = current == UInt8(ascii: "u")
        guard isUnit || "\"\\/bfnrt".utf8.contains(current) else { throw .malformed }
        position += 1
        guard isUnit else { return nil }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Self.hexadecimal(current) else { throw .malformed }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    private mutating func word(_ word: String) throws(JSONFault) {
        guard text[position...].starts(with: word.utf8) else { throw .malformed }
        position += word.utf8.count
    }

    /// Moves behind a number.
    private mutating func number() throws(JSONFault) {
        let start = position
        try digitsAndExponent()
        let number = text[start..<position]
        // Four bytes write 9e99 at the most.
        guard number.count > 4 else { return }
        guard Double(String(decoding: number, as: UTF8.self))?.isFinite == true else { throw .numberTooLarge }
    }

    private mutating func digitsAndExponent() throws(JSONFault) {
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        guard current | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
        try digits()
    }

    /// Moves behind one digit or more.
    private mutating func digits() throws(JSONFault) {
        guard Self.isDigit(current) else { throw .malformed }
        while Self.isDigit(current) { position += 1 }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func hexadecimal(_ byte: UInt8) -> UInt16? {
        if isDigit(byte) { return UInt16(byte & 0x0F) }
        // The low bits of A and a are 1.
        return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) ? UInt16(byte & 0x0F) + 9 : nil
    }
}
