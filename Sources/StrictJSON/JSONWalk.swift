/// Checks a JSON text strictly by RFC 8259 in one pass, so that all readers understand it alike.
///
/// When a member occurs twice, some readers take the first and others the last (section 4), and some readers accept
/// text that others refuse: the verified document could then differ from the one that people read. Half a surrogate
/// pair and a number beyond `Double` are valid JSON, but are refused for the same reason.
///
/// ```swift
/// let members = try JSONWalk.members(of: Array(#"{"a": [1]}"#.utf8))    // "a", 6..<9
/// ```
package struct JSONWalk {
    /// The longest name of a member, with escapes counted as written.
    ///
    /// Comparing names that consist of combining marks takes quadratic time, here and in every later decoder.
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

    /// The members of the outermost object, in order; none when the text is another value.
    ///
    /// - Parameters:
    ///   - depthMax: How deep objects and arrays may be nested.
    ///   - textBytesMax: The most bytes, with escapes as written, of a value that is a non-ASCII text: comparing such
    ///     texts takes quadratic time, as with names.
    /// - Throws: ``JSONFault`` for the first fault.
    @discardableResult
    package static func members(
        of text: [UInt8], depthMax: Int = 64, textBytesMax: Int = .max
    ) throws(JSONFault) -> [JSONMember] {
        // ASCII is UTF-8, and seen to be without a copy.
        guard text.allSatisfy({ $0 < 0x80 }) || String(validating: text, as: UTF8.self) != nil else { throw .notUTF8 }
        var walk = JSONWalk(text, depthMax: depthMax, textBytesMax: textBytesMax)
        try walk.value(inside: 0)
        walk.skipSpace()
        guard walk.position == text.endIndex else { throw .malformed }
        return walk.outermost
    }

    /// The next byte; after the end a zero, which occurs nowhere in JSON.
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
        // Canonically equivalent names count as equal, as they do for Swift's own readers.
        var names = Set<String>(minimumCapacity: 8)
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

    /// Moves past an opening bracket, and past the closing one if nothing is between; returns whether anything is.
    private mutating func enter(at depth: Int, closing end: UInt8) throws(JSONFault) -> Bool {
        guard depth <= depthMax else { throw .tooDeep }
        position += 1
        skipSpace()
        guard current == end else { return true }
        position += 1
        return false
    }

    /// Moves past a comma or a closing bracket; returns whether it was the comma.
    private mutating func goesOn(closing end: UInt8) throws(JSONFault) -> Bool {
        skipSpace()
        guard current == end || current == UInt8(ascii: ",") else { throw .malformed }
        defer { position += 1 }
        return current != end
    }

    /// Reads a member's name and moves past its colon.
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

    /// Moves past a text that is a value.
    private mutating func textValue() throws(JSONFault) {
        let content = try string()
        guard content.count > textBytesMax else { return }
        guard Self.isASCII(content) else { throw .textTooLong }
    }

    /// Whether a string with well-formed escapes means ASCII: some writers escape `/`, `+` and others in base64.
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

    /// Moves past the closing quotation mark; returns the text between the two, with escapes as written.
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

    /// Moves past an escape, or past two that form a surrogate pair.
    private mutating func escape() throws(JSONFault) {
        guard let unit = try escapedUnit() else { return }
        guard !UTF16.isTrailSurrogate(unit) else { throw .halfPair }
        guard UTF16.isLeadSurrogate(unit) else { return }
        guard current == UInt8(ascii: "\\"), let next = try escapedUnit(), UTF16.isTrailSurrogate(next) else {
            throw .halfPair
        }
    }

    /// Moves past one escape; returns its UTF-16 unit if it is written as `\u`.
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

    /// Moves past a number.
    private mutating func number() throws(JSONFault) {
        let start = position
        try digitsAndExponent()
        let number = text[start..<position]
        // A number of four bytes is at most 9e99.
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

    /// Moves past one or more digits.
    private mutating func digits() throws(JSONFault) {
        guard Self.isDigit(current) else { throw .malformed }
        while Self.isDigit(current) { position += 1 }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func hexadecimal(_ byte: UInt8) -> UInt16? {
        if isDigit(byte) { return UInt16(byte & 0x0F) }
        // The low bits of A and of a are 1.
        return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) ? UInt16(byte & 0x0F) + 9 : nil
    }
}
