import CaptureModel
import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("What a compromised key has signed since", .timeLimit(.minutes(3)))
struct AffectedPlanTests {
    /// Results, one a second, of which so many were received since the key was in other hands.
    @Test(arguments: [0, 5, 10_001, 20_000])
    func `what a compromised key has signed since is listed page by page, whatever was signed before`(affected: Int)
        async throws
    {
        let database = try await MigratedDatabase()
        try await withClient(database.conninfo) { client in
            let store = PostgresCaptureStore(client: client)
            let device = try await store.registered()
            try await database.psql(VerifiedResults.insert(Self.count, from: "2026-01-01Z"))
            try await database.psql("VACUUM ANALYZE captures")
            let first = Self.count - affected + 1
            let since = Self.start.advanced(by: .seconds(first))
            _ = try await store.compromise(device.id, since: since, reason: "stolen", actor: "alice")

            let results = try await store.affected(of: device.id, after: 0, limit: 50)
            #expect(results.map(\.counter) == (0..<min(50, affected)).map { UInt32(first + $0) })
            let last = results.last?.counter ?? 0
            let next = try await store.affected(of: device.id, after: last, limit: 50)
            #expect(next.map(\.counter) == (50..<max(50, min(100, affected))).map { UInt32(first + $0) })
            for counter in [0, last] {
                let plan = try await database.plan(of: Statements.affected, "'\(device.id)', \(counter), 50")
                #expect(plan.contains("captures_by_device"), "\(plan)")
                // The page, and the result behind which it begins.
                let counts = plan.matches(of: /actual rows=(\d+)/).compactMap { Int($0.1) }
                #expect((counts.max() ?? .max) <= 51, "\(plan)")
                #expect(!plan.contains(/Rows Removed by Filter: [1-9]/), "\(plan)")
            }
        }
    }

    private static let count = 20_000
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)
}
