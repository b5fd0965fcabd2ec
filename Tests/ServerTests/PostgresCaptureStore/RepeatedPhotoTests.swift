import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

/// Junk is rejected, and yet recorded for good: a photo that is sent over and over has ever more results.
@Suite("One photo of many captures", .timeLimit(.minutes(5)))
struct RepeatedPhotoTests {
    @Test func `a further result of it costs what the first ones cost`() async throws {
        try await withRepeatedPhoto { database in
            // The first two find out about the tables.
            let insert = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) \(Self.captures(1));"
            let plans = try await database.psql("\(insert) \(insert) \(insert)")
            let lines = plans.split(separator: "\n")
            let last = try #require(lines.lastIndex { $0.contains("Insert on captures") })
            let pages = lines[last + 1].split(separator: " ").compactMap { word in
                ["hit=", "read="].first { word.hasPrefix($0) }.flatMap { Int(word.dropFirst($0.count)) }
            }
            #expect(lines[last + 1].contains("Buffers: shared"), "\(plans)")
            // A few for each index; one chain of pages for all results of the photo had more than a hundred.
            #expect(pages.reduce(0, +) < 50, "\(plans)")
        }
    }

    @Test func `the first captures of a photo are found without reading the others`() async throws {
        try await withRepeatedPhoto { database in
            let plan = try await database.plan(of: Statements.capturesOfDigest, Self.photo)
            let counts = plan.matches(of: /actual rows=(\d+)/).compactMap { Int($0.1) }
            #expect(counts.max() == 100, "\(plan)")
            let found = try await database.psql(
                """
                PREPARE question AS \(Statements.capturesOfDigest.sql);
                CREATE TEMPORARY TABLE found AS EXECUTE question (\(Self.photo));
                SELECT count(*), max(received_at) = timestamptz '2026-01-01 00:01:40Z'
                FROM found JOIN captures USING (id)
                """)
            #expect(found.hasSuffix("100|t"), "\(found)")
        }
    }

    private func withRepeatedPhoto(_ body: (MigratedDatabase) async throws -> Void) async throws {
        let database = try await MigratedDatabase()
        try await database.psql("\(Self.captures(40_000)); ANALYZE")
        try await body(database)
    }

    private static let photo = "sha256('photo')"

    /// So many rejected captures of the photo, one received each second.
    private static func captures(_ count: Int) -> String {
        """
        INSERT INTO captures (
            id, device_id, verdict, reason, confidence, counter_policy, binding, photo_digest, depth_digest,
            metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, checks, attempts,
            redriven, level, received_at, verified_at, settled_at, processor_version)
        SELECT gen_random_uuid(), gen_random_uuid(), 'rejected', 'DEVICE_UNKNOWN', 'none', 'strict', 'concat-v1',
            \(photo), sha256(''), sha256(''), sha256(''), 1, 1, '', '', '{"counter": {"outcome": "unavailable"}}', 1, false,
            'unverified', timestamptz '2026-01-01Z' + n * interval '1 second', now(), now(), '0'
        FROM generate_series(1, \(count)) AS n
        """
    }
}
