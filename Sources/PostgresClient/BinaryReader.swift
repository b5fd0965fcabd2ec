import FoundationEssentials

/// Reads PostgreSQL's binary forms from one value; `nil` when the bytes do not match the form.
struct BinaryReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, bytes.endIndex - position >= count else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func rest() -> [UInt8] {
        defer { position = bytes.endIndex }
        return Array(bytes[position...])
    }

    mutating func text() -> String? {
        String(validating: rest(), as: UTF8.self)
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    mutating func bool() -> Bool? { byte().map { $0 != 0 } }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        take(Value.bitWidth / 8)?.reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    mutating func moment() -> Int64? {
        guard let value = integer(Int64.self) else { return nil }
        // infinity and -infinity are the limits of 64 bits, and are kept as such.
        let (sum, overflow) = value.addingReportingOverflow(postgresEpoch)
        return value == .min ? .min : overflow ? .max : sum
    }

    mutating func uuid() -> UUID? {
        guard let part = take(16).map(Array.init) else { return nil }
        return UUID(
            uuid: (
                part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7],
                part[8], part[9], part[10], part[11], part[12], part[13], part[14], part[15]
            )
        )
    }

    /// An array of at most one dimension whose elements are of a type.
    mutating func array<Element>(
        of type: PostgresType, element: (inout BinaryReader) -> Element?
    ) -> [Element?]? {
        guard let dimensions = integer(Int32.self), (0...1).contains(dimensions), integer(Int32.self) != nil,
            integer(UInt32.self) == type.oid
        else { return nil }
        guard dimensions == 1 else { return [] }
        guard let count = integer(Int32.self), count >= 0, integer(Int32.self) != nil else { return nil }
        var values: [Element?] = []
        for _ in 0..<count {
            guard let length = integer(Int32.self) else { return nil }
            guard length >= 0 else {
                values.append(nil)
                continue
            }
            guard let part = take(Int(length)) else { return nil }
            var reader = BinaryReader(bytes: part)
            guard let value = element(&reader), reader.isAtEnd else { return nil }
            values.append(value)
        }
        return values
    }
}
