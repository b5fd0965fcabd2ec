import CaptureModel
import CaptureStore
import Testing

@Suite("Replays over other content, in every store", .timeLimit(.minutes(3)))
struct CounterConflictTests {
    @Test(arguments: StoreKind.allCases)
    func `a replay of an attested key over other content is a conflict, the same content again is none`(
        _ kind: StoreKind
    ) async throws {
        try await kind.withStore { store async throws in
            let attested = try await store.registered(key: 1)
            let software = try await store.registered(key: 2, level: .unverified)
            let other = SHA256Digest.hash([5])
            let batch: [ExaminedCapture] = [
                .sample(attested, counter: 5), .sample(attested, counter: 5),
                .sample(attested, counter: 5, clientDataHash: other),
                .sample(attested, counter: 4, clientDataHash: other),
                .sample(attested, counter: nil, rejection: .signatureInvalid, clientDataHash: other),
                .sample(software, counter: 5), .sample(software, counter: 5, clientDataHash: other),
            ]
            let reasons = try await store.settle(batch, policy: .strict).map(\.reason)
            #expect(
                reasons == [
                    nil, .counterReplay, .counterReplay, .counterStale, .signatureInvalid, nil, .counterReplay,
                ])
            let captures = batch.map(\.job.id)
            let conflicts = try await store.counterConflicts(of: captures)
            #expect(conflicts == [CounterConflict(capture: captures[2], verified: captures[0])])
            let others = try await store.counterConflicts(of: [captures[0], captures[1]])
            #expect(others.isEmpty)
            let none = try await store.counterConflicts(of: [])
            #expect(none.isEmpty)
        }
    }

    /// The verified capture is found whenever it was settled.
    @Test(arguments: StoreKind.allCases)
    func `a conflict with the verified capture of an earlier batch is found`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let (first, second) = (
                ExaminedCapture.sample(device, counter: 7),
                ExaminedCapture.sample(device, counter: 7, clientDataHash: .hash([5]))
            )
            _ = try await store.settle([first, .sample(device, counter: 8)], policy: .strict)
            _ = try await store.settle([second], policy: .strict)
            let conflicts = try await store.counterConflicts(of: [second.job.id])
            #expect(conflicts == [CounterConflict(capture: second.job.id, verified: first.job.id)])
        }
    }
}
