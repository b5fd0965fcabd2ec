import CaptureModel
import CaptureStore
import PostgresCaptureStore
import TestSupport
import Testing

/// An attested registration has taken the place of its key's unverified one, whose captures are still on their way.
@Suite("Settling after a succession, in every store", .timeLimit(.minutes(3)))
struct SettleSuccessionTests {
    @Test(arguments: StoreKind.allCases)
    func `a superseded device's captures count until it was superseded`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let first = try await store.registered(level: .unverified)
            #expect(try await store.register(.sample(at: moment(20))) == .created)
            let since = try #require(try await store.record(of: first.id)?.registration.device.revokedAt)
            let before = since.advanced(by: .microseconds(-1))
            let batch: [ExaminedCapture] = [
                .sample(first, counter: 1, receivedAt: before), .sample(first, counter: 2, receivedAt: since),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [nil, .deviceRevoked])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what a superseded device sent before is not stale because the key's next lane was faster`(
        _ kind: StoreKind
    ) async throws {
        try await kind.withStore { store async throws in
            let first = try await store.registered(level: .unverified)
            #expect(try await store.reasons(first, [2]) == [nil])
            let second = DeviceRegistration.sample(at: moment(20))
            #expect(try await store.register(second) == .created)
            let (before, after) = (moment(19), moment(21))
            let batch: [ExaminedCapture] = [
                .sample(second.device, counter: 6, receivedAt: after), .sample(first, counter: 3, receivedAt: before),
                .sample(first, counter: 2, receivedAt: before), .sample(first, counter: 1, receivedAt: before),
                .sample(first, counter: 6, receivedAt: before), .sample(second.device, counter: 5, receivedAt: after),
            ]
            #expect(
                try await store.settle(batch, policy: .strict).map(\.reason)
                    == [nil, nil, .counterReplay, .counterStale, .counterReplay, .counterStale])
            #expect(
                try await store.settle([.sample(first, counter: 4, receivedAt: before)], policy: .strict)
                    .map(\.reason) == [nil])
            #expect(try await store.captureCounter(of: second.device) == 6)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a counter that a superseded device sent twice is taken once`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let first = try await store.registered(level: .unverified)
            #expect(try await store.register(.sample(at: moment(20))) == .created)
            let batch: [ExaminedCapture] = [
                .sample(first, counter: 1, receivedAt: moment(19)), .sample(first, counter: 1, receivedAt: moment(19)),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [nil, .counterReplay])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what was accepted while the attestation was under way counts`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let first = try await store.registered(level: .unverified)
            let now = Timestamp.systemTime()
            let capture = ExaminedCapture.sample(first, counter: 1, receivedAt: now.advanced(by: .seconds(-60)))
            // Its gateway took the time, waited for the key, and has a clock of its own.
            let attested = DeviceRegistration.sample(at: now.advanced(by: .seconds(-120)))
            #expect(try await store.register(attested) == .created)
            #expect(try await store.settle([capture], policy: .strict).map(\.reason) == [nil])
        }
    }

    @Test func `the record's clock decides what came before, as the ledger tells it`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let first = try await store.registered(level: .unverified)
            var maker = SubmissionMaker(seed: 600)
            let begun = Timestamp.systemTime()
            // By a gateway whose clock is ahead.
            let told = begun.advanced(by: .seconds(3_600))
            let upload = maker.submission(of: first.id, receivedAt: told)
            let before = ExaminedCapture.sample(first, counter: 1, upload: upload, receivedAt: begun)
            #expect(try await ledger.record([upload]) == [.recorded])
            let attested = DeviceRegistration.sample(at: begun.advanced(by: .seconds(-120)))
            #expect(try await store.register(attested) == .created)
            let now = Timestamp.systemTime()
            let late = maker.submission(of: first.id, receivedAt: now)
            let after = ExaminedCapture.sample(first, counter: 2, upload: late, receivedAt: now)
            #expect(try await ledger.record([late]) == [.recorded])
            let reasons = try await store.settle([before, after], policy: .strict).map(\.reason)
            #expect(reasons == [nil, .deviceRevoked])
            let trail = try await store.auditTrail(of: "\(first.id)", limit: 9)
            #expect(trail.filter { $0.action == "device.supersede" && $0.at > begun && $0.at < now }.count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases, SuccessionStep.runs)
    func `what becomes of a capture does not depend on which others share its batch`(
        _ kind: StoreKind, _ steps: [SuccessionStep]
    ) async throws {
        try await kind.withStore { store async throws in
            for (key, isOneBatch) in [(UInt8(1), true), (2, false)] {
                let first = try await store.registered(key: key, level: .unverified)
                let second = DeviceRegistration.sample(key: key)
                #expect(try await store.register(second) == .created)
                #expect(try await store.reasons(second.device, [10]) == [nil])
                let captures = steps.map { step in
                    ExaminedCapture.sample(step.isNew ? second.device : first, counter: step.counter)
                }
                var reasons: [Reason?] = []
                for batch in isOneBatch ? [captures] : captures.map({ [$0] }) {
                    reasons += try await store.settle(batch, policy: .strict).map(\.reason)
                }
                #expect(reasons == steps.map(\.reason), "in one batch: \(isOneBatch)")
            }
        }
    }
}

/// A capture of one of the two registrations of a key whose highest counter is 10, and what becomes of it.
struct SuccessionStep: Sendable {
    let isNew: Bool
    let counter: UInt32
    let reason: Reason?

    static let runs: [[SuccessionStep]] = [
        // A rejected capture does not use its counter up, even if it was the first with it.
        [new(5, .counterStale), old(5, nil), old(5, .counterReplay)],
        [old(5, nil), new(5, .counterReplay)],
        // A refused capture moves nobody's highest counter.
        [new(12, nil), old(12, .counterReplay), old(11, nil)],
        // The key's highest counter is over both.
        [old(20, nil), new(15, .counterStale), new(21, nil)],
    ]

    private static func old(_ counter: UInt32, _ reason: Reason?) -> SuccessionStep {
        SuccessionStep(isNew: false, counter: counter, reason: reason)
    }

    private static func new(_ counter: UInt32, _ reason: Reason?) -> SuccessionStep {
        SuccessionStep(isNew: true, counter: counter, reason: reason)
    }
}
