package import FoundationEssentials

/// A row of a result, with its values read by column name and checked against the column's type.
///
/// ```swift
/// for row in result.rows {
///     let id = try row.uuid("id")
///     let reason = try row.textOptional("reason")
/// }
/// ```
/// Every reader throws ``PostgresError/Code/decoding`` for a missing column, another type, or a NULL that is not read
/// as optional.
package struct PostgresRow: Sendable {
    let result: PostgresResult
    let index: Int

    /// A `boolean`.
    package func bool(_ column: String) throws(PostgresError) -> Bool { try need(boolOptional(column), column) }
    /// A `boolean` or NULL.
    package func boolOptional(_ column: String) throws(PostgresError) -> Bool? {
        try read(column, [.bool]) { $0.bool() }
    }

    /// An `integer`.
    package func int4(_ column: String) throws(PostgresError) -> Int32 { try need(int4Optional(column), column) }
    /// An `integer` or NULL.
    package func int4Optional(_ column: String) throws(PostgresError) -> Int32? {
        try read(column, [.int4]) { $0.integer(Int32.self) }
    }

    /// A `bigint`.
    package func int8(_ column: String) throws(PostgresError) -> Int64 { try need(int8Optional(column), column) }
    /// A `bigint` or NULL.
    package func int8Optional(_ column: String) throws(PostgresError) -> Int64? {
        try read(column, [.int8]) { $0.integer(Int64.self) }
    }

    /// A `text`, `varchar` or `name`.
    package func text(_ column: String) throws(PostgresError) -> String { try need(textOptional(column), column) }
    /// A `text`, `varchar` or `name`, or NULL.
    package func textOptional(_ column: String) throws(PostgresError) -> String? {
        try read(column, [.text, .varchar, .name]) { $0.text() }
    }

    /// A `bytea`.
    package func bytes(_ column: String) throws(PostgresError) -> [UInt8] { try need(bytesOptional(column), column) }
    /// A `bytea` or NULL.
    package func bytesOptional(_ column: String) throws(PostgresError) -> [UInt8]? {
        try read(column, [.bytes]) { $0.rest() }
    }

    /// A `uuid`.
    package func uuid(_ column: String) throws(PostgresError) -> UUID { try need(uuidOptional(column), column) }
    /// A `uuid` or NULL.
    package func uuidOptional(_ column: String) throws(PostgresError) -> UUID? {
        try read(column, [.uuid]) { $0.uuid() }
    }

    /// A `timestamptz` as microseconds since 1970.
    package func timestamptz(_ column: String) throws(PostgresError) -> Int64 {
        try need(timestamptzOptional(column), column)
    }
    /// A `timestamptz` as microseconds since 1970, or NULL.
    package func timestamptzOptional(_ column: String) throws(PostgresError) -> Int64? {
        try read(column, [.timestamptz]) { $0.moment() }
    }

    /// A `jsonb` as JSON text.
    package func jsonb(_ column: String) throws(PostgresError) -> String {
        try need(read(column, [.jsonb]) { $0.byte() == 1 ? $0.text() : nil }, column)
    }

    /// Reads one value to its last byte.
    func read<Value>(
        _ column: String, _ types: [PostgresType], _ body: (inout BinaryReader) -> Value?
    ) throws(PostgresError) -> Value? {
        let (range, type) = try result.cell(row: index, column: column)
        guard types.contains(type) else {
            throw PostgresError(.decoding, "column \(column) is of type \(type.oid)")
        }
        guard let range else { return nil }
        var reader = BinaryReader(bytes: result.bytes[range])
        guard let value = body(&reader), reader.isAtEnd else {
            throw PostgresError(.decoding, "column \(column) does not decode")
        }
        return value
    }

    func need<Value>(_ value: Value?, _ column: String) throws(PostgresError) -> Value {
        guard let value else { throw PostgresError(.decoding, "column \(column) is NULL") }
        return value
    }
}

extension PostgresRow {
    /// An `integer[]`.
    package func int4Array(_ column: String) throws(PostgresError) -> [Int32?] {
        try need(read(column, [.int4Array]) { $0.array(of: .int4) { $0.integer(Int32.self) } }, column)
    }

    /// A `text[]`.
    package func textArray(_ column: String) throws(PostgresError) -> [String?] {
        try need(read(column, [.textArray]) { $0.array(of: .text) { $0.text() } }, column)
    }

    /// A `bytea[]`.
    package func bytesArray(_ column: String) throws(PostgresError) -> [[UInt8]?] {
        try need(read(column, [.bytesArray]) { $0.array(of: .bytes) { $0.rest() } }, column)
    }

    /// A `uuid[]`.
    package func uuidArray(_ column: String) throws(PostgresError) -> [UUID?] {
        try need(read(column, [.uuidArray]) { $0.array(of: .uuid) { $0.uuid() } }, column)
    }
}
