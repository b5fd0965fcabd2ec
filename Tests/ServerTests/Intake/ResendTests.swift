import AppAttest
import CaptureModel
import CaptureStore
import Foundation
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// A phone that lost its 202 may come back when the ledger has long forgotten the bundle.
@Suite("A verified capture that is sent again", .timeLimit(.minutes(3)))
struct ResendTests {
    private static let read = PostgresStatement("test_counter", "SELECT assertion_counter($1) AS counter")

    @Test func `the ledger may have forgotten the bundle: it is told under its first id`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let first = SignedUpload.make(device, 700_000_000)
            let refused = SignedUpload.make(device, 700_000_001)
            _ = try await ledger.record([first, refused])
            _ = try await store.settle(
                [
                    SignedUpload.verified(first, of: device, counter: 700_000_000),
                    SignedUpload.verified(refused, of: device, counter: nil),
                ], policy: .strict)
            #expect(try await ledger.purge(closedFor: .zero, limit: 9) == 1, "the other went with its result")

            let other = SignedUpload.make(device, 700_000_002)
            #expect(
                try await ledger.record([
                    SignedUpload.make(device, 700_000_000), other, SignedUpload.make(device, 700_000_001),
                ]) == [.earlier(first.id, .closed), .recorded, .recorded], "what was rejected is judged anew")
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(open.count == 2 && open.first?.capture == other.id)
        }
    }

    /// The old id is refused at the gateway, and under the new one the genuine capture would be called a replay.
    @Test func `a better registration of the key is told of it under its first id, too`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let before = try await store.registered(level: .unverified)
            let first = SignedUpload.make(before, 5)
            _ = try await ledger.record([first])
            _ = try await store.settle([SignedUpload.verified(first, of: before, counter: 5)], policy: .strict)
            let after = DeviceRegistration.sample(at: moment(20))
            #expect(try await store.register(after) == .created)
            let others = [SignedUpload.make(after.device, 5, photo: 9), SignedUpload.make(after.device, 6)]
            #expect(
                try await ledger.record([SignedUpload.make(after.device, 5)] + others)
                    == [.earlier(first.id, .closed), .recorded, .recorded])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).count == 2)
            #expect(try await ledger.record([SignedUpload.make(before, 5)]) == [.earlier(first.id, .closed)])
        }
    }

    @Test func `what is not the same signed capture is recorded`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let stranger = try await store.registered(key: 2)
            let first = SignedUpload.make(device, 5, binding: .framedV2)
            _ = try await store.settle([SignedUpload.verified(first, of: device, counter: 5)], policy: .strict)
            let others = [
                SignedUpload.make(device, 5, binding: .framedV2, photo: 9),
                SignedUpload.make(device, 5, binding: .framedV2, depth: 9),
                SignedUpload.make(device, 5, binding: .framedV2, metadata: #"{"another": "time"}"#),
                SignedUpload.make(device, 5, binding: .concatV1, signature: 9),
                SignedUpload.make(device, 6, binding: .framedV2),
                SignedUpload.make(stranger, 5, binding: .framedV2, metadata: " { }"),
            ]
            #expect(try await ledger.record(others) == others.map { _ in .recorded })
            for binding in [Binding.framedV2, .concatV1] {
                let again = SignedUpload.make(device, 5, binding: binding)
                #expect(try await ledger.record([again]) == [.earlier(first.id, .closed)], "the very same bytes")
            }
        }
    }

    /// From a signature (r, s) anybody can compute the equally valid (r, n − s), and may send the bundle with it before
    /// its device does.
    @Test func `the same signed bytes are told under the first id with another signature as well`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let altered = SignedUpload.make(device, 5, binding: .framedV2, signature: 9)
            _ = try await store.settle([SignedUpload.verified(altered, of: device, counter: 5)], policy: .strict)
            let genuine = SignedUpload.make(device, 5, binding: .framedV2)
            #expect(genuine.bundleDigest != altered.bundleDigest)
            #expect(try await ledger.record([genuine]) == [.earlier(altered.id, .closed)])
        }
    }

    /// As a gateway records an upload whose signature it has found to be bad.
    @Test func `what is recorded by its digest alone is a capture of its own beside the verified one`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let genuine = SignedUpload.make(device, 5, binding: .framedV2)
            _ = try await store.settle([SignedUpload.verified(genuine, of: device, counter: 5)], policy: .strict)
            let forged = SignedUpload.make(device, 5, binding: .framedV2, signature: 9)
            #expect(try await ledger.record([forged]) == [.earlier(genuine.id, .closed)])
            #expect(try await ledger.record(byDigestAlone: [forged], lockWait: nil) == [.recorded])
            let again = SignedUpload.make(device, 5, binding: .framedV2, signature: 9)
            let short = Duration.milliseconds(20)
            #expect(
                try await ledger.record(byDigestAlone: [again], lockWait: short) == [.earlier(forged.id, .waiting)])
            _ = try await store.settle([SignedUpload.verified(forged, of: device, counter: nil)], policy: .strict)
            #expect(try await ledger.record(byDigestAlone: [again], lockWait: nil) == [.earlier(forged.id, .closed)])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
        }
    }

    /// A session that planned this query while there were no results would look the bundle up by its photo and compare
    /// it with every result of that photo.
    @Test func `an upload is compared with the one result of its counter, however many have its photo`() async throws {
        try await withPostgresStore(connections: 1) { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            var devices: [Device] = []
            for key in 1...20 as ClosedRange<UInt8> { devices.append(try await store.registered(key: key)) }
            _ = try await ledger.record([SignedUpload.make(devices[0], 100)])
            for counter in 1...20 as ClosedRange<UInt32> {
                let batch = devices.map {
                    SignedUpload.verified(SignedUpload.make($0, counter), of: $0, counter: counter)
                }
                _ = try await store.settle(batch, policy: .strict)
            }
            let before = try await Self.resultsRead(client)
            _ = try await ledger.record(devices.prefix(10).map { SignedUpload.make($0, 21) })
            #expect(try await Self.resultsRead(client) - before <= 10)
        }
    }

    /// Results that were read, by whatever way.
    private static func resultsRead(_ client: PostgresClient) async throws -> Int64 {
        _ = try await client.execute(flush)
        return try #require(try await client.execute(readResults).first).int8("results")
    }

    private static let flush = PostgresStatement("test_flush", "SELECT pg_stat_force_next_flush()::text AS done")
    private static let readResults = PostgresStatement(
        "test_read_results",
        """
        SELECT (
            SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'captures'
        )::bigint + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'captures')::bigint AS results
        """)

    @Test func `the database reads the counter of every real assertion as the verifier does`() async throws {
        struct File: Decodable {
            struct Item: Decodable { var assertion: Data }
            var assertions: [Item]?
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: Vectors.directory.path)
        var seen = 0
        try await withPostgresStore { _, client async throws in
            for name in names.sorted() where name.hasPrefix("20") {
                for item in try JSONDecoder().decode(File.self, from: Vectors.data(name)).assertions ?? [] {
                    let parsed = try AssertionVerifier().parse(Array(item.assertion))
                    let row = try await client.execute(Self.read, [.bytes(Array(item.assertion))]).first
                    #expect(try row?.int8Optional("counter") == Int64(parsed.counter), "\(name)")
                    seen += 1
                }
            }
            for end in 0..<SignedUpload.assertion(1).count {
                let row = try await client.execute(Self.read, [.bytes(Array(SignedUpload.assertion(1)[..<end]))]).first
                #expect(try row?.int8Optional("counter") == nil, "\(end) bytes")
            }
        }
        #expect(seen >= 20)
    }

    @Test func `the revocation that a capture came before is told by the ledger and not by its job`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let revokedAt = Timestamp.systemTime().advanced(by: .seconds(-60))
            let (before, after) = (revokedAt.advanced(by: .seconds(-1)), revokedAt.advanced(by: .seconds(1)))
            let early = SignedUpload.make(device, 1, receivedAt: before)
            let late = SignedUpload.make(device, 2, receivedAt: after)
            _ = try await ledger.record([early, late])
            #expect(try await store.revoke(device.id, at: revokedAt, reason: "lost", actor: "operator"))
            let batch: [ExaminedCapture] = [
                .sample(device, counter: 1, upload: early, receivedAt: after),
                .sample(device, counter: 2, upload: late, receivedAt: before),
                .sample(device, counter: 3, receivedAt: before),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [nil, .deviceRevoked, nil])
        }
    }
}
