import PercentEncoding

/// The fields of a form or of a query, in the order in which they came
/// (application/x-www-form-urlencoded, WHATWG URL 5.1).
package struct FormFields: Sendable, Equatable {
    /// How many fields are read; what comes beyond them is passed over.
    private static let fieldsMax = 2048

    private let fields: [(name: String, value: String)]

    /// The most bytes of a name, and of a text beyond ASCII, above every valid one: what was cut to it is still refused.
    ///
    /// It bounds comparisons, which take the square of the length for combining marks.
    private static let (nameBytesMax, textBytesMax) = (64, 1024)

    /// Reads fields; what is not UTF-8 becomes the sign for it.
    package init(_ text: some StringProtocol) {
        let fields = text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.fieldsMax).prefix(Self.fieldsMax)
        self.fields = fields.map { field in
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.name(parts[0]), parts.count == 2 ? Self.value(parts[1]) : "")
        }
    }

    private static func name(_ text: some Collection<UInt8>) -> String {
        let bytes = decode(text)
        guard bytes.count > nameBytesMax else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.prefix(nameBytesMax), as: UTF8.self) + "…"
    }

    private static func value(_ text: some Collection<UInt8>) -> String {
        let bytes = decode(text)
        let isLong = bytes.count > textBytesMax && bytes.contains { $0 >= 0x80 }
        return String(decoding: isLong ? bytes.prefix(textBytesMax + 1) : bytes[...], as: UTF8.self)
    }

    private init(fields: [(name: String, value: String)]) {
        self.fields = fields
    }

    /// Only the fields of one name.
    func only(_ name: String) -> FormFields { FormFields(fields: fields.filter { $0.name == name }) }

    /// The first value of a name; `nil` when there is none or an empty one, as an input that was left alone sends.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// Refuses unknown names, those that come twice, and those without a value: a filter that is misspelt, one of two, or
    /// one whose variable was empty, would otherwise be passed over.
    func requireOnly(_ known: [String]) throws(APIError) {
        var met: Set<String> = []
        for (name, value) in fields {
            guard known.contains(name) else {
                let known = known.isEmpty ? "none" : known.joined(separator: ", ")
                throw .invalid(String(name.prefix(64)), "is unknown; known parameters: \(known)")
            }
            guard met.insert(name).inserted else { throw .invalid(name, "is given twice") }
            guard !value.isEmpty else { throw .invalid(name, "is empty") }
        }
    }

    /// Every value of a name.
    package func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// By names and values, in order.
    package static func == (left: FormFields, right: FormFields) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    private static func decode(_ text: some Collection<UInt8>) -> [UInt8] {
        PercentEncoding.decode(text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }).bytes
    }
}
