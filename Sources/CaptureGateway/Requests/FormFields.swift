/// The fields of a form or of a query, in the order in which they came
/// (application/x-www-form-urlencoded, WHATWG URL 5.1).
public struct FormFields: Sendable, Equatable {
    /// How many fields are read; what comes beyond them is passed over.
    private static let fieldsMax = 2048

    private let fields: [(name: String, value: String)]

    /// Reads fields; what is not UTF-8 becomes the sign for it.
    public init(_ text: some StringProtocol) {
        fields = text.split(separator: "&", maxSplits: Self.fieldsMax).prefix(Self.fieldsMax).map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decode(parts[0]), parts.count == 2 ? Self.decode(parts[1]) : "")
        }
    }

    private init(fields: [(name: String, value: String)]) {
        self.fields = fields
    }

    /// Only the fields of one name.
    func only(_ name: String) -> FormFields { FormFields(fields: fields.filter { $0.name == name }) }

    /// The first value of a name; `nil` when there is none or an empty one, as an input that was left alone sends.
    public subscript(name: String) -> String? {
        fields.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// The names of the fields, in order.
    public var names: [String] { fields.map(\.name) }

    /// Refuses unknown names, and those that come twice: a filter that is misspelt, or one of two, would otherwise be
    /// passed over.
    func requireOnly(_ known: [String]) throws(APIError) {
        var met: Set<String> = []
        for name in names {
            guard known.contains(name) else {
                let known = known.joined(separator: ", ")
                throw .invalid(String(name.prefix(64)), "is unknown; known parameters: \(known)")
            }
            guard met.insert(name).inserted else { throw .invalid(name, "is given twice") }
        }
    }

    /// Every value of a name.
    public func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// By names and values, in order.
    public static func == (left: FormFields, right: FormFields) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    private static func decode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), rest.count >= 2,
                let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A value as a query or a form carries it: what is not plain is written by its bytes.
    public static func encode(_ text: some StringProtocol) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}
