package import FoundationEssentials

/// A parameter of a statement, sent in PostgreSQL's binary form.
package enum PostgresValue: Sendable, Equatable {
    /// SQL NULL of whatever type the statement wants.
    case null
    /// `boolean`
    case bool(Bool)
    /// `integer`
    case int4(Int32)
    /// `bigint`
    case int8(Int64)
    /// `text`; must not contain U+0000, which PostgreSQL refuses (22021).
    case text(String)
    /// `bytea`
    case bytes([UInt8])
    /// `uuid`
    case uuid(UUID)
    /// `timestamptz`, as microseconds since 1970-01-01T00:00:00Z.
    case timestamptz(Int64)
    /// `boolean[]`
    case boolArray([Bool?])
    /// `integer[]`
    case int4Array([Int32?])
    /// `bigint[]`
    case int8Array([Int64?])
    /// `text[]`
    case textArray([String?])
    /// `bytea[]`
    case bytesArray([[UInt8]?])
    /// `uuid[]`
    case uuidArray([UUID?])
    /// `timestamptz[]`
    case timestamptzArray([Int64?])

    /// A value of an optional, or NULL.
    package static func optional<Wrapped>(
        _ value: Wrapped?, _ make: (Wrapped) -> PostgresValue
    ) -> PostgresValue {
        value.map(make) ?? .null
    }
}

/// The types that this client reads and writes, by their fixed OIDs in the server's catalogue.
struct PostgresType: Hashable {
    let oid: UInt32

    static let bool = PostgresType(oid: 16)
    static let bytes = PostgresType(oid: 17)
    static let int8 = PostgresType(oid: 20)
    static let int4 = PostgresType(oid: 23)
    static let text = PostgresType(oid: 25)
    static let varchar = PostgresType(oid: 1043)
    static let name = PostgresType(oid: 19)
    static let uuid = PostgresType(oid: 2950)
    static let timestamptz = PostgresType(oid: 1184)
    static let jsonb = PostgresType(oid: 3802)
    static let bytesArray = PostgresType(oid: 1001)
    static let int4Array = PostgresType(oid: 1007)
    static let textArray = PostgresType(oid: 1009)
    static let uuidArray = PostgresType(oid: 2951)
}

/// The moment that PostgreSQL counts from, 2000-01-01, in microseconds since 1970.
let postgresEpoch: Int64 = 946_684_800_000_000
