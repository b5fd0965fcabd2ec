/// One element of BER: its identifier octet and its contents, which are not parsed yet.
struct BERElement {
    /// The identifier octet: class, the bit for constructed elements, tag number.
    let identifier: UInt8
    /// The element as a whole, header and end-of-contents included.
    let encoded: ArraySlice<UInt8>
    /// What is inside, without the end-of-contents.
    let contents: ArraySlice<UInt8>

    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let constructedOctetString: UInt8 = 0x24
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    /// The identifier of a context-specific constructed element.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// Reads the elements of BER one after another (X.690, 8.1), with definite and with indefinite lengths.
///
/// It reads what CMS needs: tag numbers below 31 and lengths of up to four octets. It never recurses: an element's
/// contents are skipped, and a caller that wants them makes a reader for them. To skip an indefinite length, the
/// headers inside must be counted, hence the limits on depth and count. With these the work on n bytes is at most n for
/// each level that is read.
struct BERReader {
    /// Bounds on the work that some bytes can cause.
    struct Limits: Hashable, Sendable {
        /// Indefinite lengths inside of one another.
        var depthMax: Int
        /// Headers that are skipped over or read at one level.
        var elementsMax: Int
    }

    private var rest: ArraySlice<UInt8>
    private var elements = 0
    private let limits: Limits

    init(_ bytes: ArraySlice<UInt8>, limits: Limits) {
        rest = bytes
        self.limits = limits
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The identifier of what comes next; `nil` at the end.
    var identifier: UInt8? { rest.first }

    /// Reads one element of any kind.
    mutating func next() throws(BERError) -> BERElement {
        elements += 1
        guard elements <= limits.elementsMax else { throw BERError(code: .tooMany, offset: rest.startIndex) }
        let header = try header(at: rest.startIndex)
        let start = header.end
        let (end, after): (Int, Int)
        if let length = header.length {
            (end, after) = (start + length, start + length)
        } else {
            end = try endOfContents(from: start)
            after = end + 2
        }
        let element = BERElement(
            identifier: header.identifier, encoded: rest[..<after], contents: rest[start..<end])
        rest = rest[after...]
        return element
    }

    /// Reads one element that must have this identifier.
    mutating func next(_ identifier: UInt8) throws(BERError) -> BERElement {
        guard self.identifier == identifier else {
            throw BERError(code: isAtEnd ? .truncated : .unexpected, offset: rest.startIndex)
        }
        return try next()
    }

    /// Reads one element if it has this identifier.
    mutating func optional(_ identifier: UInt8) throws(BERError) -> BERElement? {
        self.identifier == identifier ? try next() : nil
    }

    /// A reader of an element's contents with the same limits.
    func contents(of element: BERElement) -> BERReader { BERReader(element.contents, limits: limits) }

    /// Makes sure that nothing is left.
    func finish() throws(BERError) {
        guard isAtEnd else { throw BERError(code: .trailingBytes, offset: rest.startIndex) }
    }

    private struct Header {
        let identifier: UInt8
        /// `nil` when indefinite; otherwise no more than the bytes that are left.
        let length: Int?
        /// Where the contents start.
        let end: Int
    }

    private func header(at start: Int) throws(BERError) -> Header {
        guard rest.endIndex - start >= 2 else { throw BERError(code: .truncated, offset: start) }
        let (identifier, first) = (rest[start], rest[start + 1])
        guard identifier != 0, identifier & 0x1F != 0x1F else {
            throw BERError(code: .tagUnsupported, offset: start)
        }
        var end = start + 2
        guard first != 0x80 else {
            guard identifier & 0x20 != 0 else { throw BERError(code: .lengthMalformed, offset: start) }
            return Header(identifier: identifier, length: nil, end: end)
        }
        var length = Int(first)
        if first > 0x80 {
            let octets = Int(first & 0x7F)
            guard octets <= 4 else { throw BERError(code: .lengthMalformed, offset: start) }
            guard rest.endIndex - end >= octets else { throw BERError(code: .truncated, offset: start) }
            length = rest[end..<end + octets].reduce(0) { $0 << 8 | Int($1) }
            end += octets
        }
        guard rest.endIndex - end >= length else { throw BERError(code: .truncated, offset: start) }
        return Header(identifier: identifier, length: length, end: end)
    }

    /// Finds the two zero octets that end an indefinite length; it skips definite contents and counts indefinite ones.
    private func endOfContents(from start: Int) throws(BERError) -> Int {
        var (position, open, headers) = (start, 1, 0)
        while true {
            guard rest.endIndex - position >= 2 else { throw BERError(code: .truncated, offset: position) }
            if rest[position] == 0, rest[position + 1] == 0 {
                open -= 1
                guard open > 0 else { return position }
                position += 2
                continue
            }
            headers += 1
            guard headers <= limits.elementsMax else { throw BERError(code: .tooMany, offset: position) }
            let header = try header(at: position)
            if let length = header.length {
                position = header.end + length
            } else {
                open += 1
                guard open <= limits.depthMax else { throw BERError(code: .tooDeep, offset: position) }
                position = header.end
            }
        }
    }
}
