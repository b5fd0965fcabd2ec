import CaptureModel
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import PostgresClient
import Testing

@testable import PostgresCaptureStore

@Suite("Settling, in every store", .timeLimit(.minutes(3)))
struct SettleTests {
    @Test(arguments: StoreKind.allCases)
    func `strict takes only what is greater than everything before`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.reasons(device, [5, 3, 5, 6]) == [nil, .counterStale, .counterReplay, nil])
            #expect(
                try await store.reasons(device, [6, 4, 7, 5]) == [.counterReplay, .counterStale, nil, .counterReplay])
            #expect(try await store.captureCounter(of: device) == 7)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a window takes each unused counter that is near enough, once`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let window = CounterPolicy.window(4)
            #expect(
                try await store.reasons(device, [10, 7, 6, 7], policy: window) == [
                    nil, nil, .counterStale, .counterReplay,
                ])
            #expect(
                try await store.reasons(device, [9, 10, 14, 10, 11], policy: window)
                    == [nil, .counterReplay, nil, .counterReplay, nil])
            #expect(try await store.captureCounter(of: device) == 14)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a window marks what comes after a later capture`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let batch = [10, 9, 12, 7].map { VerifiedCapture.sample(device, counter: $0) }
            _ = try await store.settle(batch, policy: .window(4))
            let results = try await store.results(of: batch.map(\.job.id))
            let checks = batch.map { capture in results[capture.job.id]?.checks.first { $0.name == .counter } }
            #expect(
                checks == [
                    Check(.counter, .pass), Check(.counter, .pass, .counterOutOfOrder), Check(.counter, .pass),
                    Check(.counter, .fail, .counterStale),
                ])
            #expect(results[batch[1].job.id]?.confidence == .high)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a capture under the id of another one's result is refused, and told nothing of it`(
        _ kind: StoreKind
    ) async throws {
        try await kind.withStore { store async throws in
            let (owner, other) = (try await store.registered(key: 1), try await store.registered(key: 2))
            let first = VerifiedCapture.sample(owner, counter: 1)
            _ = try await store.settle([first], policy: .strict)
            let second = VerifiedCapture.sample(other, counter: 1, id: first.job.id)
            let error = await #expect(throws: StoreError.self) {
                try await store.settle([.sample(other, counter: 2), second], policy: .strict)
            }
            #expect(error?.concernsContent == true)
            #expect(try await store.results(of: [first.job.id])[first.job.id]?.device == owner.id)
            #expect(try await store.captureCounter(of: other) == 0)
        }
    }

    private static let settleOfBefore = PostgresStatement(
        "test_settle_v1",
        """
        SELECT verdict FROM capture_settle_v1(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
        """)

    @Test func `a worker of before settles as it did, and what it does not know is not kept`() async throws {
        try await withPostgresStore { store, client async throws in
            let capture = VerifiedCapture.sample(try await store.registered(), counter: 1)
            var values = SettleParameters([capture], policy: .strict).values
            values.remove(at: 14)
            let rows = try await client.execute(Self.settleOfBefore, values).rows
            #expect(try rows.map { row in try row.text("verdict") } == ["verified"])
            let result = try #require(try await store.results(of: [capture.job.id])[capture.job.id])
            #expect(result.counter == 1 && result.clientDataHash == nil)
            let again = try await store.settle([capture], policy: .strict)
            #expect(again.map(\.settledBefore) == [true])
        }
    }

    @Test(arguments: StoreKind.allCases, [CounterPolicy.strict, .window(1), .window(65_536)])
    func `counter 0 is never taken and the greatest one is`(_ kind: StoreKind, _ policy: CounterPolicy) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(
                try await store.reasons(device, [0, .max, .max, 0], policy: policy)
                    == [.counterStale, nil, .counterReplay, .counterStale])
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
            let plain = VerifiedCapture.sample(device, counter: 1, rejection: ruling.rejection)
            let judged = VerifiedCapture(
                job: plain.job, device: device, clientDataHash: plain.clientDataHash, counter: 1,
                checks: plain.checks + [ruling.check], rejection: plain.rejection, confidence: plain.confidence,
                capturedAt: plain.capturedAt,
                verifiedAt: plain.verifiedAt, rollout: ruling)
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
            let batch = [3, 1, 4, 1, 5].map { VerifiedCapture.sample(device, counter: $0) }
            let first = try await store.settle(batch, policy: .strict)
            let second = try await store.settle(batch.reversed(), policy: .strict)
            #expect(first.allSatisfy { !$0.settledBefore })
            #expect(second.allSatisfy { $0.settledBefore })
            #expect(first.map(\.reason) == second.reversed().map(\.reason))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a capture that is in a batch twice is settled once`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let capture = VerifiedCapture.sample(device, counter: 3)
            let decisions = try await store.settle(
                [capture, .sample(device, counter: 2), capture], policy: .strict)
            #expect(decisions.map(\.reason) == [nil, .counterStale, nil])
            #expect(decisions.map(\.settledBefore) == [false, false, true])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what the verification rejected is recorded and uses no counter up`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let decisions = try await store.settle(
                [
                    .sample(device, counter: nil, rejection: .signatureInvalid),
                    .sample(device, counter: 9, rejection: .photoMalformed),
                    .sample(device, counter: 9),
                ], policy: .strict)
            #expect(decisions.map(\.reason) == [.signatureInvalid, .photoMalformed, nil])
            #expect(decisions.map(\.verdict) == [.rejected, .rejected, .verified])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a result carries everything that was known`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let good = VerifiedCapture.sample(device, counter: 7, attempts: 3, redriven: true)
            let stale = VerifiedCapture.sample(device, counter: 6)
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
                        verdict: .verified, reason: nil, confidence: .high, attempts: 3, redriven: true,
                        capturedAt: moment(9), receivedAt: moment(10), claimedAt: moment(10), verifiedAt: moment(11),
                        settledAt: result.settledAt, processorVersion: ProcessorVersion.current))
            let other = try #require(results[stale.job.id])
            #expect(other.checks.contains(Check(.counter, .fail, .counterStale)))
            #expect(other.confidence == .none)
        }
    }

    @Test func `a result tells when it was settled, by the record's clock`() async throws {
        try await withPostgresStore { store, _ async throws in
            let capture = VerifiedCapture.sample(try await store.registered(), counter: 1)
            let before = try await store.serverTime()
            _ = try await store.settle([capture], policy: .strict)
            let after = try await store.serverTime()
            let result = try #require(try await store.results(of: [capture.job.id])[capture.job.id])
            #expect((before...after).contains(result.settledAt))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a device that is unknown is rejected without a key`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let neverRegistered = DeviceRegistration.sample(key: 9).device
            let batch: [VerifiedCapture] = [
                .sample(nil, counter: nil, rejection: .deviceUnknown), .sample(neverRegistered, counter: 3),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [.deviceUnknown, .deviceUnknown])
            let results = try await store.results(of: batch.map(\.job.id))
            #expect(results.values.allSatisfy { $0.keyID == nil && $0.attestationLevel == .unverified })
            #expect(
                results[batch[1].job.id]?.checks
                    == [
                        Check(.device, .fail, .deviceUnknown), Check(.assertion, .pass),
                        Check(.counter, .unavailable, .notEvaluated), Check(.photoHash, .unavailable, .notEvaluated),
                    ])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a revoked device's captures count until the moment of revocation`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.revoke(device.id, at: moment(20), reason: "lost", actor: "operator"))
            // The worker read the device before it was revoked: the transaction decides all the same.
            let batch: [VerifiedCapture] = [
                .sample(device, counter: 1, receivedAt: moment(19)),
                .sample(device, counter: 3, receivedAt: moment(20)),
                .sample(device, counter: 2, receivedAt: moment(19)),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [nil, .deviceRevoked, nil])
            let checks = try await store.results(of: [batch[1].job.id])[batch[1].job.id]?.checks
            #expect(checks?.first == Check(.device, .fail, .deviceRevoked))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a revoked device's captures are rejected for that, whatever else is wrong`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.revoke(device.id, at: moment(20), reason: "lost", actor: "operator"))
            let batch: [VerifiedCapture] = [19, 20].map {
                .sample(device, counter: nil, rejection: .signatureInvalid, receivedAt: moment($0))
            }
            let reasons = try await store.settle(batch, policy: .strict).map(\.reason)
            #expect(reasons == [.signatureInvalid, .deviceRevoked])
            #expect(
                try await store.results(of: [batch[1].job.id])[batch[1].job.id]?.checks
                    == [
                        Check(.device, .fail, .deviceRevoked), Check(.assertion, .fail, .signatureInvalid),
                        Check(.counter, .unavailable, .notEvaluated), Check(.photoHash, .unavailable, .notEvaluated),
                    ])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `nobody's key never gets more than medium`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered(level: .unverified)
            let capture = VerifiedCapture.sample(device, counter: 1, confidence: .high)
            _ = try await store.settle([capture], policy: .strict)
            #expect(try await store.results(of: [capture.job.id])[capture.job.id]?.confidence == .medium)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a batch with an undecidable capture is refused and nothing of it kept`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let good = VerifiedCapture.sample(device, counter: 1)
            await #expect(throws: StoreError(.refused, "")) {
                _ = try await store.settle([good, .sample(device, counter: nil)], policy: .strict)
            }
            #expect(try await store.results(of: [good.job.id]).isEmpty)
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

    @Test(arguments: StoreKind.allCases)
    func `requests and captures count apart`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.advanceRequestCounter(of: device.keyID, to: 8))
            #expect(try await store.advanceRequestCounter(of: device.keyID, to: 8) == false)
            #expect(try await store.advanceRequestCounter(of: device.keyID, to: 7) == false)
            #expect(try await store.reasons(device, [5]) == [nil])
            #expect(try await store.advanceRequestCounter(of: device.keyID, to: .max))
            #expect(try await store.advanceRequestCounter(of: KeyID(publicKey: [9]), to: 1) == false)
            #expect(try await store.captureCounter(of: device) == 5)
        }
    }

    @Test func `a request without a counter tells when the key was seen, to a minute`() async throws {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            let before = try await store.serverTime()
            try await store.noteRequest(of: device.keyID)
            let seen = try #require(try await store.record(of: device.id)?.lastSeen)
            #expect(seen >= before)
            try await store.noteRequest(of: device.keyID)
            try await store.noteRequest(of: KeyID(publicKey: [9]))
            let again = try await store.record(of: device.id)?.lastSeen
            #expect(again == seen)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `random batches come out as the model says`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let model = MemoryCaptureStore(time: { moment(0) })
        try await withPostgresStore { store, _ async throws in
            var registrations = (0..<4).map {
                DeviceRegistration.sample(key: UInt8($0), level: $0 == 3 ? .unverified : .secureEnclave)
            }
            for registration in registrations {
                _ = try await store.register(registration)
                _ = try await model.register(registration)
            }
            var earlier: [VerifiedCapture] = []
            for round in 0..<25 {
                if round == 12 {
                    // What was sent by the unverified registration of the key until then goes on being settled.
                    registrations.append(.sample(key: 3, at: moment(20)))
                    _ = try await store.register(registrations[4])
                    _ = try await model.register(registrations[4])
                }
                let policy: CounterPolicy =
                    Bool.random(using: &random) ? .strict : .window(Int.random(in: 1...6, using: &random))
                let devices = registrations.map(\.device)
                let isLaneByLane = Bool.random(using: &random)
                let count = Int.random(in: 1...12, using: &random)
                let batch =
                    isLaneByLane
                    ? randomLanes(devices, &earlier, in: round, &random)
                    : (0..<count).map { _ in randomCapture(devices, &earlier, in: round, &random) }
                let expected = try await model.settle(batch, policy: policy)
                #expect(try await store.settle(batch, policy: policy) == expected, "seed \(seed)")
                let ids = batch.map(\.job.id)
                // Each has a clock of its own.
                let settled = try await store.results(of: ids)
                let results = try await model.results(of: ids).mapValues { result in
                    var result = result
                    result.settledAt = settled[result.id]?.settledAt ?? result.settledAt
                    return result
                }
                #expect(settled == results, "seed \(seed)")
            }
            for registration in registrations {
                let record = try await model.record(of: registration.device.id)
                #expect(try await store.record(of: registration.device.id) == record, "seed \(seed)")
            }
        }
    }

    /// Device by device with rising counters, as lanes come: mostly a batch that nothing speaks against, and now and then
    /// one with a capture of before in it.
    private func randomLanes(
        _ devices: [Device], _ earlier: inout [VerifiedCapture], in round: Int, _ random: inout SeededGenerator
    ) -> [VerifiedCapture] {
        var batch: [VerifiedCapture] = []
        for device in devices.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
            var counter = level(of: device, among: devices, in: round) + UInt32.random(in: 0...20, using: &random)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                counter += UInt32.random(in: 1...3, using: &random)
                batch.append(.sample(device, counter: counter))
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0, let again = earlier.randomElement(using: &random) {
            batch.insert(again, at: Int.random(in: 0...batch.count, using: &random))
        }
        earlier += batch
        return batch
    }

    /// How far a device has counted by then.
    ///
    /// The key of the fourth has a fifth registration from some round on, and under
    /// that only counters of later.
    private func level(of device: Device, among devices: [Device], in round: Int) -> UInt32 {
        UInt32(devices.firstIndex { $0.id == device.id } == 3 ? min(round, 7) : round) * 12
    }

    private func randomCapture(
        _ devices: [Device], _ earlier: inout [VerifiedCapture], in round: Int, _ random: inout SeededGenerator
    ) -> VerifiedCapture {
        if Int.random(in: 0..<8, using: &random) == 0, let again = earlier.randomElement(using: &random) {
            return again
        }
        let device = devices.randomElement(using: &random) ?? devices[0]
        let range =
            (device.id == devices.dropFirst(4).first?.id ? 130 : 0)...level(of: device, among: devices, in: round) + 40
        let rejection: Reason? = Int.random(in: 0..<10, using: &random) == 0 ? .photoHashMismatch : nil
        let capture = VerifiedCapture.sample(
            device, counter: UInt32.random(in: range, using: &random), rejection: rejection,
            confidence: [.low, .medium, .high].randomElement(using: &random) ?? .low)
        earlier.append(capture)
        return capture
    }
}
