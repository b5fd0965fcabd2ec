import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresClient
import Testing

@testable import PostgresCaptureStore

@Suite("Settling, in every store", .timeLimit(.minutes(3)))
struct SettleTests {
    @Test(arguments: StoreKind.allCases)
    func `a capture under the id of another one's result is refused, and told nothing of it`(
        _ kind: StoreKind
    ) async throws {
        try await kind.withStore { store async throws in
            let (owner, other) = (try await store.registered(key: 1), try await store.registered(key: 2))
            let first = ExaminedCapture.sample(owner, counter: 1)
            _ = try await store.settle([first], policy: .strict)
            let second = ExaminedCapture.sample(other, counter: 1, id: first.job.id)
            let error = await #expect(throws: StoreError.self) {
                try await store.settle([.sample(other, counter: 2), second], policy: .strict)
            }
            #expect(error?.mayBeOfOneCapture == true)
            // A dead letter has these words, by which a runbook tells it from any other fault.
            #expect(error?.description == "store refused P0001: constraint id_of_another_capture_with_result")
            #expect(try await store.results(of: [first.job.id])[first.job.id]?.device == owner.id)
            #expect(try await store.captureCounter(of: other) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `other bytes under the id of a device's result are refused`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let first = SignedUpload.make(device, 5)
            _ = try await store.settle([SignedUpload.verified(first, of: device, counter: 5)], policy: .strict)
            for other in [
                SignedUpload.make(device, 6, photo: 9), SignedUpload.make(device, 6, depth: 9),
                SignedUpload.make(device, 6, metadata: #"{"another": "time"}"#),
            ] {
                let capture = SignedUpload.verified(other.with(id: first.id), of: device, counter: 6)
                let error = await #expect(throws: StoreError.self) {
                    try await store.settle([capture], policy: .strict)
                }
                #expect(error?.mayBeOfOneCapture == true)
                #expect(error?.description == "store refused P0001: constraint id_of_another_capture_with_result")
            }
            #expect(try await store.captureCounter(of: device) == 5)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what was settled before its device was known stays so`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let registration = DeviceRegistration.sample()
            let capture = ExaminedCapture.sample(registration.device, counter: 3)
            let first = try await store.settle([capture], policy: .strict)
            #expect(first.map(\.reason) == [.deviceUnknown] && first.map(\.wasSettledBefore) == [false])
            #expect(try await store.register(registration) == .created)
            let again = try await store.settle([capture], policy: .strict)
            #expect(again.map(\.reason) == [.deviceUnknown] && again.map(\.wasSettledBefore) == [true])
            #expect(try await store.captureCounter(of: registration.device) == 0)
        }
    }

    /// No program reads the numbers of bytes.
    private static let kept = PostgresStatement(
        "test_kept",
        """
        SELECT photo_digest, depth_digest, metadata_digest, client_data_hash, assertion, metadata, photo_bytes,
            depth_bytes
        FROM captures
        """)

    @Test func `each part of a capture is kept in the column of its name`() async throws {
        try await withPostgresStore { store, client async throws in
            let plain = ExaminedCapture.sample(try await store.registered(), counter: 1)
            let capture = ExaminedCapture(
                job: plain.job, clientDataHash: plain.clientDataHash, photoBytes: 1001, depthBytes: 7,
                checks: plain.checks, outcome: plain.outcome, capturedAt: plain.capturedAt,
                verifiedAt: plain.verifiedAt)
            _ = try await store.settle([capture], policy: .strict)
            let upload = capture.job.submission
            let parts = [
                ("photo_digest", upload.photoDigest.bytes), ("depth_digest", upload.depthDigest.bytes),
                ("metadata_digest", SHA256Digest.hash(upload.metadata).bytes),
                ("client_data_hash", capture.clientDataHash.bytes), ("assertion", upload.assertion),
                ("metadata", upload.metadata),
            ]
            #expect(Set(parts.map { $0.1 }).count == parts.count, "one that is in another's place is seen")
            let row = try #require(try await client.execute(Self.kept).first)
            for (column, bytes) in parts { #expect(try row.bytes(column) == bytes, "\(column)") }
            #expect(try row.int8("photo_bytes") == 1001, "not the job's 1000")
            #expect(try row.int8("depth_bytes") == 7, "not the job's 0")
        }
    }

    @Test(arguments: StoreKind.allCases, [RolloutMode.monitor, .enforce])
    func `a result has what the rollout said, whatever came of it`(_ kind: StoreKind, _ mode: RolloutMode) async throws
    {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let ruling = RolloutRuling(
                policy: .hash([7]), mode: mode, bucket: 17, bucketsWithin: 2500,
                facts: .init(osVersion: "18.1", bundleVersion: nil, validationCategory: 3),
                unmet: [.osVersion, .validationCategory])
            let plain = ExaminedCapture.sample(device, counter: 1, rejection: ruling.rejection)
            let judged = ExaminedCapture(
                job: plain.job, clientDataHash: plain.clientDataHash, checks: plain.checks + [ruling.check],
                outcome: plain.outcome, capturedAt: plain.capturedAt, verifiedAt: plain.verifiedAt, rollout: ruling)
            _ = try await store.settle([judged, .sample(device, counter: 2)], policy: .strict)
            let result = try #require(try await store.results(of: [judged.job.id])[judged.job.id])
            #expect(result.rollout == ruling && result.checks.contains(ruling.check))
            #expect(result.reason == (mode == .enforce ? .osVersionNotAllowed : nil))
            #expect(try await store.devices([device.id])[device.id]?.latestOSVersion == "18.1")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a batch that runs twice gives the same results`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let batch = [3, 1, 4, 1, 5].map { ExaminedCapture.sample(device, counter: $0) }
            let first = try await store.settle(batch, policy: .strict)
            let second = try await store.settle(batch.reversed(), policy: .strict)
            #expect(first.map(\.wasSettledBefore) == batch.map { _ in false })
            #expect(second.map(\.wasSettledBefore) == batch.map { _ in true })
            #expect(first.map(\.reason) == second.reversed().map(\.reason))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a capture that is in a batch twice is settled once`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let capture = ExaminedCapture.sample(device, counter: 3)
            let decisions = try await store.settle(
                [capture, .sample(device, counter: 2), capture], policy: .strict)
            #expect(decisions.map(\.reason) == [nil, .counterStale, nil])
            #expect(decisions.map(\.wasSettledBefore) == [false, false, true])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a result carries everything that was known`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let good = ExaminedCapture.sample(device, counter: 7, attempts: 3, isRedriven: true)
            let stale = ExaminedCapture.sample(device, counter: 6)
            _ = try await store.settle([good, stale], policy: .window(1))
            let results = try await store.results(of: [good.job.id, stale.job.id, CaptureID(UUID())])
            #expect(results.count == 2)
            let result = try #require(results[good.job.id])
            #expect(
                result
                    == ProvenanceResult(
                        id: good.job.id, device: device.id, keyID: device.keyID, attestationLevel: .secureEnclave,
                        environment: .production, appID: device.appID, trustRoot: device.trustRoot, counter: 7,
                        counterPolicy: .window(1), binding: .framedV2, photoDigest: .hash([2]), depthDigest: .hash([3]),
                        metadataDigest: .hash(Array(#"{"a": 1}"#.utf8)), clientDataHash: .hash([4]),
                        checks: [
                            Check(.device, .pass), Check(.assertion, .pass), Check(.counter, .pass),
                            Check(.photoHash, .unavailable, .notEvaluated),
                        ],
                        verdict: .verified, reason: nil, confidence: .high, attempts: 3, isRedriven: true,
                        capturedAt: moment(9), receivedAt: moment(10), claimedAt: moment(10), verifiedAt: moment(11),
                        settledAt: result.settledAt, processorVersion: ProcessorVersion.current))
            let other = try #require(results[stale.job.id])
            #expect(other.checks.contains(Check(.counter, .fail, .counterStale)))
            #expect(other.confidence == .none)
        }
    }

    @Test func `a result tells when it was settled, by the record's clock`() async throws {
        try await withPostgresStore { store, _ async throws in
            let capture = ExaminedCapture.sample(try await store.registered(), counter: 1)
            let before = try await store.serverTime()
            _ = try await store.settle([capture], policy: .strict)
            let after = try await store.serverTime()
            let result = try #require(try await store.results(of: [capture.job.id])[capture.job.id])
            #expect((before...after).contains(result.settledAt))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a batch of no captures has no decisions`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            #expect(try await store.settle([], policy: .strict).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `no time that a capture claims makes a batch fail`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let far = Timestamp(microsecondsSince1970: .max)
            #expect(
                try await store.settle([.sample(device, counter: 1, receivedAt: far)], policy: .strict)
                    .map(\.reason) == [nil])
        }
    }
}
