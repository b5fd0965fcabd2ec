import CaptureModel
import CaptureStore
import PostgresCaptureStore
import Testing

@Suite("Captures without a result", .timeLimit(.minutes(3)))
struct MissingResultTests {
    @Test func `captures without a result are named in the order asked`() async throws {
        try await withPostgresStore(connections: 1) { store, _ async throws in
            let device = try await store.registered()
            let captures = (1...4).map { ExaminedCapture.sample(device, counter: $0) }
            _ = try await store.settle([captures[1]], policy: .strict)
            let ids = captures.map(\.job.id)
            #expect(try await store.withoutResult(ids.reversed()) == [ids[3], ids[2], ids[0]])
            #expect(try await store.withoutResult([ids[1]]) == [])
            #expect(try await store.withoutResult([]) == [])
        }
    }
}
