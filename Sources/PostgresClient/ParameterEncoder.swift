import FoundationEssentials

/// The parameters of one statement in PostgreSQL's binary form, in one buffer.
///
/// The forms are those of the server's `*send`/`*recv` functions: integers in network order, `timestamptz` in
/// microseconds since 2000, arrays as dimensions, element type and elements.
struct ParameterEncoder {
    /// All values, one after the other, and one more byte.
    ///
    /// With that byte an empty value has an address; without one, libpq would take it for NULL.
    private(set) var bytes: [UInt8] = []
    /// Where each parameter is; `nil` for NULL.
    private(set) var ranges: [Range<Int>?] = []

    init(_ values: [PostgresValue]) {
        ranges.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            let isNull = !append(value)
            ranges.append(isNull ? nil : start..<bytes.count)
        }
        bytes.append(0)
    }

    /// Writes a value; `false` for NULL, which has no bytes at all.
    private mutating func append(_ value: PostgresValue) -> Bool {
        switch value {
        case .null: return false
        case .bool(let value): append(value)
        case .int4(let value): append(value)
        case .int8(let value): append(value)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .bytes(let value): bytes.append(contentsOf: value)
        case .uuid(let value): append(value)
        case .timestamptz(let value): append(moment: value)
        case .boolArray(let values): append(values, of: .bool) { $0.append($1) }
        case .int4Array(let values): append(values, of: .int4) { $0.append($1) }
        case .int8Array(let values): append(values, of: .int8) { $0.append($1) }
        case .textArray(let values): append(values, of: .text) { $0.bytes.append(contentsOf: $1.utf8) }
        case .bytesArray(let values): append(values, of: .bytes) { $0.bytes.append(contentsOf: $1) }
        case .uuidArray(let values): append(values, of: .uuid) { $0.append($1) }
        case .timestamptzArray(let values): append(values, of: .timestamptz) { $0.append(moment: $1) }
        }
        return true
    }

    private mutating func append(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ value: UUID) {
        unsafe withUnsafeBytes(of: value.uuid) { unsafe bytes.append(contentsOf: $0) }
    }

    /// A moment below the range of 64 bits becomes the least value above `-infinity`; the server refuses moments
    /// outside its calendar (22008).
    private mutating func append(moment: Int64) {
        let (value, overflow) = moment.subtractingReportingOverflow(postgresEpoch)
        append(overflow ? .min + 1 : value)
    }

    /// An array of one dimension with lower bound 1; an empty one has no dimension.
    private mutating func append<Element>(
        _ values: [Element?], of type: PostgresType, element: (inout ParameterEncoder, Element) -> Void
    ) {
        append(Int32(values.isEmpty ? 0 : 1))
        append(Int32(values.contains { $0 == nil } ? 1 : 0))
        append(type.oid)
        guard !values.isEmpty else { return }
        append(Int32(clamping: values.count))
        append(Int32(1))
        for value in values {
            guard let value else {
                append(Int32(-1))
                continue
            }
            let start = bytes.count
            append(Int32(0))
            element(&self, value)
            write(Int32(clamping: bytes.count - start - 4), at: start)
        }
    }

    private mutating func write(_ length: Int32, at start: Int) {
        unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe bytes.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self)
        }
    }
}
