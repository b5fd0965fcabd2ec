import CaptureModel
import CaptureStore
import PostgresCaptureStore
import Testing

@Suite("Counters when settling, in every store", .timeLimit(.minutes(3)))
struct SettleCounterTests {
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

    /// Nothing else speaks against these batches: the quick look at a batch as a whole has to see it.
    @Test(arguments: StoreKind.allCases)
    func `a counter that comes twice in a rising batch is taken once`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.reasons(device, [1, 2, 2, 3]) == [nil, nil, .counterReplay, nil])
            #expect(try await store.reasons(device, [4, 4]) == [nil, .counterReplay])
            #expect(try await store.captureCounter(of: device) == 4)
        }
    }

    /// Each of its places rises by itself, above what was accepted before the batch.
    @Test(arguments: StoreKind.allCases)
    func `a device in two places of a batch is held to the first in the second`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered(key: 1)
            let other = try await store.registered(key: 2)
            let decisions = try await store.settle(
                [.sample(device, counter: 5), .sample(other, counter: 1), .sample(device, counter: 4)],
                policy: .strict)
            #expect(decisions.map(\.reason) == [nil, nil, .counterStale])
        }
    }

    /// Judged anew, the first one would be accepted by now.
    @Test(arguments: StoreKind.allCases)
    func `a capture with a result holds no other one of its batch back`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let rejected = ExaminedCapture.sample(device, counter: 9, rejection: .photoMalformed)
            _ = try await store.settle([rejected], policy: .strict)
            let decisions = try await store.settle(
                [.sample(device, counter: 9, id: rejected.job.id), .sample(device, counter: 8)], policy: .strict)
            #expect(decisions.map(\.reason) == [.photoMalformed, nil])
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
            let batch = [10, 9, 12, 7].map { ExaminedCapture.sample(device, counter: $0) }
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

    @Test(arguments: StoreKind.allCases, [CounterPolicy.strict, .window(1), .window(65_536)])
    func `counter 0 is never taken and the greatest one is`(_ kind: StoreKind, _ policy: CounterPolicy) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(
                try await store.reasons(device, [0, .max, .max, 0], policy: policy)
                    == [.counterStale, nil, .counterReplay, .counterStale])
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

    /// `last_seen` of the key's holder: captures of other registrations do not change it, and none moves it back.
    @Test(arguments: StoreKind.allCases)
    func `a key is seen by what it has signed, and by the last of it`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            func seen(_ capture: ExaminedCapture) async throws -> Timestamp? {
                _ = try await store.settle([capture], policy: .strict)
                return try await store.record(of: device.id)?.lastSeen
            }
            #expect(try await seen(.sample(device, counter: 5, receivedAt: moment(30))) == moment(30))
            let forged = ExaminedCapture.sample(
                device, counter: nil, rejection: .signatureInvalid, receivedAt: moment(50))
            #expect(try await seen(forged) == moment(30))
            #expect(try await seen(.sample(device, counter: 6, receivedAt: moment(20))) == moment(30))
            #expect(try await seen(.sample(device, counter: 5, receivedAt: moment(60))) == moment(60), "a replay")
            #expect(try await seen(.sample(device, counter: 4, receivedAt: moment(70))) == moment(70), "stale")
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
}
