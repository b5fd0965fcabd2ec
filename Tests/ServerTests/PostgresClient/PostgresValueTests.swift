import FoundationEssentials
import PostgresClient
import TestSupport
import Testing

@Suite("PostgreSQL values", .timeLimit(.minutes(2)))
struct PostgresValueTests {
    @Test func `every value comes back as it was sent`() async throws {
        let id = UUID()
        let bytes = (0...255).map { UInt8($0) } + [UInt8](repeating: 0, count: 70_000)
        try await withDatabase { client async throws in
            for value in [true, false] {
                #expect(try await read(client, Self.bool, .bool(value)).bool("value") == value)
            }
            for value in [Int32.min, -1, 0, .max] {
                #expect(try await read(client, Self.int4, .int4(value)).int4("value") == value)
            }
            for value in [Int64.min, -1, 0, .max] {
                #expect(try await read(client, Self.int8, .int8(value)).int8("value") == value)
            }
            for value in ["", "O'Brien; DROP", "zażółć 🫥\u{1}"] {
                #expect(try await read(client, Self.text, .text(value)).text("value") == value)
            }
            for value in [[], [0], bytes] {
                #expect(try await read(client, Self.bytes, .bytes(value)).bytes("value") == value)
            }
            #expect(try await read(client, Self.uuid, .uuid(id)).uuid("value") == id)
            for value in [Int64(0), -1, 1_790_000_000_123_456, -62_135_596_800_000_000] {
                #expect(try await read(client, Self.timestamptz, .timestamptz(value)).timestamptz("value") == value)
            }
            let json = #"{"a": [1, "\\ü"], "b": null}"#
            #expect(try await read(client, Self.jsonb, .text(json)).jsonb("value") == json)
        }
    }

    @Test func `arrays come back with their NULLs, empty ones empty`() async throws {
        let id = UUID()
        try await withDatabase { client async throws in
            #expect(
                try await read(client, Self.boolArray, .boolArray([true, nil])).textArray("value") == ["true", nil])
            #expect(try await read(client, Self.int4Array, .int4Array([nil, -1])).int4Array("value") == [nil, -1])
            #expect(
                try await read(client, Self.int8Array, .int8Array([.max, nil])).textArray("value") == [
                    "\(Int64.max)", nil,
                ])
            #expect(
                try await read(client, Self.textArray, .textArray(["", nil, "ü"])).textArray("value") == ["", nil, "ü"])
            #expect(
                try await read(client, Self.bytesArray, .bytesArray([[], nil, [0, 1]])).bytesArray("value") == [
                    [], nil, [0, 1],
                ])
            #expect(try await read(client, Self.uuidArray, .uuidArray([id, nil])).uuidArray("value") == [id, nil])
            #expect(
                try await read(client, Self.momentArray, .timestamptzArray([5, nil])).textArray("value") == ["5", nil])
            #expect(try await read(client, Self.textArray, .textArray([])).textArray("value").isEmpty)
            #expect(try await read(client, Self.bytesArray, .bytesArray([nil])).bytesArray("value") == [nil])
        }
    }

    @Test func `NULL is nil to the optional readers and an error to the others`() async throws {
        try await withDatabase { client async throws in
            #expect(try await read(client, Self.bool, .null).boolOptional("value") == nil)
            #expect(try await read(client, Self.int8, .null).int8Optional("value") == nil)
            #expect(try await read(client, Self.bytes, .null).bytesOptional("value") == nil)
            #expect(try await read(client, Self.uuid, .null).uuidOptional("value") == nil)
            let row = try await read(client, Self.text, .null)
            #expect(throws: PostgresError(.decoding, "")) { try row.text("value") }
        }
    }

    @Test func `a value of another type or a column that is not there is an error`() async throws {
        try await withDatabase { client async throws in
            let row = try await read(client, Self.int8, .int8(1))
            #expect(throws: PostgresError(.decoding, "")) { try row.timestamptz("value") }
            #expect(throws: PostgresError(.decoding, "")) { try row.int4("value") }
            #expect(throws: PostgresError(.decoding, "")) { try row.int8("other") }
            await #expect(throws: PostgresError(.server("22P03"), "")) {
                _ = try await client.execute(Self.int4, [.int8(1)])
            }
        }
    }

    private func read(
        _ client: PostgresClient, _ statement: PostgresStatement, _ value: PostgresValue
    ) async throws -> PostgresRow {
        try #require(try await client.execute(statement, [value]).first)
    }

    private static let bool = PostgresStatement("test_bool", "SELECT $1::boolean AS value")
    private static let int4 = PostgresStatement("test_int4", "SELECT $1::integer AS value")
    private static let int8 = PostgresStatement("test_int8", "SELECT $1::bigint AS value")
    private static let text = PostgresStatement("test_text", "SELECT $1::text AS value")
    private static let bytes = PostgresStatement("test_bytes", "SELECT $1::bytea AS value")
    private static let uuid = PostgresStatement("test_uuid", "SELECT $1::uuid AS value")
    private static let timestamptz = PostgresStatement("test_moment", "SELECT $1::timestamptz AS value")
    private static let jsonb = PostgresStatement("test_jsonb", "SELECT $1::text::jsonb AS value")
    private static let boolArray = PostgresStatement("test_bools", "SELECT $1::boolean[]::text[] AS value")
    private static let int4Array = PostgresStatement("test_int4s", "SELECT $1::integer[] AS value")
    private static let int8Array = PostgresStatement("test_int8s", "SELECT $1::bigint[]::text[] AS value")
    private static let textArray = PostgresStatement("test_texts", "SELECT $1::text[] AS value")
    private static let bytesArray = PostgresStatement("test_byteas", "SELECT $1::bytea[] AS value")
    private static let uuidArray = PostgresStatement("test_uuids", "SELECT $1::uuid[] AS value")
    private static let momentArray = PostgresStatement(
        "test_moments",
        """
        SELECT ARRAY(
            SELECT (extract(epoch FROM moment) * 1000000)::bigint::text
            FROM unnest($1::timestamptz[]) WITH ORDINALITY AS sent (moment, number) ORDER BY number
        ) AS value
        """)
}
