extension CBORValue {
    /// Decodes bytes that are exactly one item.
    ///
    /// The decoder is strict (RFC 8949, 4.2.1, except for the order of keys) and bounded, and no declared length makes
    /// it allocate.
    ///
    /// - Throws: ``CBORError`` at the first rule that is broken.
    public static func decode(_ bytes: [UInt8], limits: CBORLimits = CBORLimits()) throws(CBORError) -> CBORValue {
        let (value, end) = try decodePrefix(bytes, limits: limits)
        guard end == bytes.count else { throw CBORError(.trailingBytes, at: end) }
        return value
    }

    /// Decodes the one item that starts at an offset, whatever follows it.
    ///
    /// Made for authenticator data, where a map of extensions directly follows a key.
    ///
    /// - Returns: The item, and the offset of the first byte after it.
    /// - Throws: ``CBORError`` as ``decode(_:limits:)`` does, but never for bytes after the item.
    public static func decodePrefix(
        _ bytes: [UInt8], from start: Int = 0, limits: CBORLimits = CBORLimits()
    ) throws(CBORError) -> (value: CBORValue, end: Int) {
        guard bytes.count <= limits.bytesMax else { throw CBORError(.bytesExceeded, at: limits.bytesMax) }
        guard (0...bytes.count).contains(start) else { throw CBORError(.truncated, at: bytes.count) }
        var decoder = CBORDecoder(bytes: bytes, position: start, limits: limits)
        let value = try decoder.item(depth: 0)
        return (value, decoder.position)
    }
}

/// One pass over the bytes; every read is checked against the bytes that are left.
struct CBORDecoder {
    let bytes: [UInt8]
    private(set) var position: Int
    private let limits: CBORLimits
    private var items = 0

    init(bytes: [UInt8], position: Int, limits: CBORLimits) {
        self.bytes = bytes
        self.position = position
        self.limits = limits
    }

    mutating func item(depth: Int) throws(CBORError) -> CBORValue {
        let start = position
        items += 1
        guard items <= limits.itemsMax else { throw CBORError(.itemsExceeded, at: start) }
        let first = try byte()
        let type = first >> 5
        let information = first & 0x1F
        guard type != MajorType.simpleOrFloat else { return try simpleOrFloat(information, at: start) }
        let argument = try argument(information, at: start)
        switch type {
        case MajorType.unsigned: return .unsigned(argument)
        case MajorType.negative: return .negative(argument)
        case MajorType.bytes: return .bytes(Array(try take(argument, at: start)))
        case MajorType.text: return .text(try text(argument, at: start))
        case MajorType.array: return .array(try array(argument, depth: depth + 1, at: start))
        case MajorType.map: return .map(try map(argument, depth: depth + 1, at: start))
        default:
            // MajorType.tag is the only one that is left.
            try enter(depth + 1, at: start)
            return .tagged(argument, try item(depth: depth + 1))
        }
    }

    private mutating func array(_ count: UInt64, depth: Int, at start: Int) throws(CBORError) -> [CBORValue] {
        try enter(depth, at: start)
        let count = try itemCount(count, each: 1, at: start)
        var values: [CBORValue] = []
        for _ in 0..<count { values.append(try item(depth: depth)) }
        return values
    }

    private mutating func map(_ count: UInt64, depth: Int, at start: Int) throws(CBORError) -> [CBORValue.Entry] {
        try enter(depth, at: start)
        let count = try itemCount(count, each: 2, at: start)
        var keys = KeySet()
        var entries: [CBORValue.Entry] = []
        for _ in 0..<count {
            let keyStart = position
            let key = try item(depth: depth)
            // Shortest forms are enforced, so equal keys have equal bytes.
            guard keys.insert(bytes[keyStart..<position]) else { throw CBORError(.duplicateKey, at: keyStart) }
            entries.append(CBORValue.Entry(key, try item(depth: depth)))
        }
        return entries
    }

    private mutating func text(_ count: UInt64, at start: Int) throws(CBORError) -> String {
        guard let text = String(validating: try take(count, at: start), as: UTF8.self) else {
            throw CBORError(.invalidUTF8, at: start)
        }
        return text
    }

    private mutating func simpleOrFloat(_ information: UInt8, at start: Int) throws(CBORError) -> CBORValue {
        switch information {
        case 0..<20: return .simple(information)
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        case 23: return .undefined
        case 24:
            let number = try byte()
            guard number >= 32 else { throw CBORError(.reservedSimpleValue, at: start) }
            return .simple(number)
        case 25...27: return try float(information, at: start)
        case 31: throw CBORError(.indefiniteLength, at: start)
        default: throw CBORError(.reservedAdditionalInformation, at: start)
        }
    }

    /// Reads a float only in the form in which the encoder writes it.
    private mutating func float(_ information: UInt8, at start: Int) throws(CBORError) -> CBORValue {
        let number: Double =
            switch information {
            case 25: HalfPrecision.value(of: UInt16(try bigEndian(2)))
            case 26: Double(Float(bitPattern: UInt32(try bigEndian(4))))
            default: Double(bitPattern: try bigEndian(8))
            }
        var shortest: [UInt8] = []
        CBORValue.float(number, &shortest)
        guard bytes[start..<position].elementsEqual(shortest) else { throw CBORError(.notShortest, at: start) }
        return .float(number)
    }

    /// The number in or after the initial byte, refused unless this is its shortest form.
    private mutating func argument(_ information: UInt8, at start: Int) throws(CBORError) -> UInt64 {
        let argument: UInt64
        let least: UInt64
        switch information {
        case 0..<24: return UInt64(information)
        case 24: (argument, least) = (try bigEndian(1), 24)
        case 25: (argument, least) = (try bigEndian(2), 0x100)
        case 26: (argument, least) = (try bigEndian(4), 0x1_0000)
        case 27: (argument, least) = (try bigEndian(8), 0x1_0000_0000)
        case 31: throw CBORError(.indefiniteLength, at: start)
        default: throw CBORError(.reservedAdditionalInformation, at: start)
        }
        guard argument >= least else { throw CBORError(.notShortest, at: start) }
        return argument
    }

    private func enter(_ depth: Int, at start: Int) throws(CBORError) {
        guard depth <= limits.depthMax else { throw CBORError(.depthExceeded, at: start) }
    }

    /// The count as an `Int`; refused when the bytes that are left cannot hold that many items of one byte each.
    private func itemCount(_ count: UInt64, each items: UInt64, at start: Int) throws(CBORError) -> Int {
        guard count <= UInt64(bytes.count - position) / items else { throw CBORError(.truncated, at: start) }
        return Int(count)
    }

    private mutating func take(_ count: UInt64, at start: Int) throws(CBORError) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - position) else { throw CBORError(.truncated, at: start) }
        let slice = bytes[position..<position + Int(count)]
        position = slice.endIndex
        return slice
    }

    private mutating func byte() throws(CBORError) -> UInt8 {
        guard position < bytes.count else { throw CBORError(.truncated, at: position) }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func bigEndian(_ count: Int) throws(CBORError) -> UInt64 {
        var number: UInt64 = 0
        for _ in 0..<count { number = number << 8 | UInt64(try byte()) }
        return number
    }
}

/// The encoded keys of one map: a list while they are few, hashed once they are many, so that hostile maps stay linear.
private struct KeySet {
    private var few: [ArraySlice<UInt8>] = []
    private var many: Set<ArraySlice<UInt8>> = []

    /// Adds a key; `false` if it was there.
    mutating func insert(_ key: ArraySlice<UInt8>) -> Bool {
        if few.count == 8 {
            if many.isEmpty { many = Set(few) }
            return many.insert(key).inserted
        }
        guard !few.contains(key) else { return false }
        few.append(key)
        return true
    }
}
