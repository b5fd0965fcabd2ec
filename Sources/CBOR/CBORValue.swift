/// One item of CBOR (RFC 8949), as the decoder returns it and the encoder takes it.
///
/// ```swift
/// let value = try CBORValue.decode(bytes)
/// guard let format = value["fmt"]?.text else { return }
/// ```
///
/// Two values are equal when their encodings are: texts compare by bytes, not by Unicode's canonical equivalence, and
/// maps with their entries in another order differ.
public enum CBORValue: Sendable {
    /// A whole number from 0 to 2^64 - 1.
    case unsigned(UInt64)
    /// The number -1 - n for the given n, as CBOR stores it.
    case negative(UInt64)
    /// A byte string.
    case bytes([UInt8])
    /// A text string.
    case text(String)
    /// A list of items.
    case array([CBORValue])
    /// Pairs in the order of the wire.
    case map([Entry])
    /// An item and the tag before it; tags have no effect here.
    indirect case tagged(UInt64, CBORValue)
    /// True or false.
    case bool(Bool)
    /// The simple value 22.
    case null
    /// The simple value 23.
    case undefined
    /// Any other simple value, 0 to 19 or 32 to 255; 24 to 31 are reserved, and cannot be encoded.
    case simple(UInt8)
    /// A floating-point number of any width; encoded in the shortest one that keeps its value.
    case float(Double)

    /// One key and its value in a map.
    public struct Entry: Hashable, Sendable {
        /// The key under which the value is found.
        public let key: CBORValue
        /// The value of the key.
        public let value: CBORValue

        /// Pairs a key with a value.
        public init(_ key: CBORValue, _ value: CBORValue) {
            self.key = key
            self.value = value
        }
    }
}

extension CBORValue: Hashable {
    /// Whether both encode to the same bytes; a reserved simple value, which has no encoding, equals itself alone.
    public static func == (one: CBORValue, other: CBORValue) -> Bool { one.comparedBytes == other.comparedBytes }

    /// Feeds the bytes to the hasher that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparedBytes) }
}

extension CBORValue {
    /// The item for an `Int`.
    public init(_ integer: Int) {
        self = integer >= 0 ? .unsigned(UInt64(integer)) : .negative(UInt64(-1 - integer))
    }

    /// A map with text keys, in the order given.
    public init(_ pairs: KeyValuePairs<String, CBORValue>) {
        self = .map(pairs.map { Entry(.text($0.key), $0.value) })
    }

    /// The number, when this is an integer that an `Int` holds.
    public var integer: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    /// The bytes, when this is a byte string.
    public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The text, when this is a text string.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The items, when this is an array.
    public var array: [CBORValue]? { if case .array(let items) = self { items } else { nil } }

    /// The entries in order, when this is a map.
    public var map: [Entry]? { if case .map(let entries) = self { entries } else { nil } }

    /// The value at a text key, when this is a map that has it.
    public subscript(key: String) -> CBORValue? {
        map?.first { entry in
            guard case .text(let text) = entry.key else { return false }
            // By bytes: canonically equivalent texts are different keys.
            return text.utf8.elementsEqual(key.utf8)
        }?.value
    }

    /// The value at an integer key, when this is a map that has it.
    public subscript(key: Int) -> CBORValue? {
        map?.first { $0.key.integer == key }?.value
    }
}
