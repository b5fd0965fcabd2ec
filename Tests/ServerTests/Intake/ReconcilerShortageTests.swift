import CoreMetrics
import Foundation
import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

/// A limit of a role is reached as that of the server is (`max_connections`), and disturbs no other test.
@Suite("A PostgreSQL that has no connection left for the reconciler", .timeLimit(.minutes(2)))
struct ReconcilerShortageTests {
    @Test func `a server whose last connection uploads have is not away`() async throws {
        let server = try await PrivatePostgres.shared()
        let (database, conninfo) = try await server.createNamedDatabase()
        let role = "short_\(database)"
        try await server.psql("CREATE ROLE \"\(role)\" LOGIN CONNECTION LIMIT 1")
        let own = conninfo.replacingOccurrences(of: "user=capture", with: "user=\(role)")
        let (recorder, registry) = (LogRecorder(), PrometheusRegistry())
        try await QueueFixture.with { queue in
            try await withClient(own, connections: 1) { uploads in
                try await uploads.ping()
                try await withClient(own, connections: 2) { client in
                    try await withMetricsFactory(registry) { () async throws in
                        let reconciler = IntakeReconciler(
                            queue: queue.queue("gateway"), ledger: PostgresIntakeLedger(client: client),
                            store: PostgresCaptureStore(client: client),
                            uploadStore: PostgresCaptureStore(client: uploads), bundles: queue.bundles,
                            random: { 7 }, outages: Outages(logger: recorder.logger), logger: recorder.logger)
                        let running = Task { try await reconciler.run() }
                        try await eventually { !recorder.lines.isEmpty }
                        running.cancel()
                        _ = await running.result
                    }
                }
            }
        }
        #expect(recorder.lines == ["warning the reconciler does not get through"])
        #expect(recorder.values(of: "fault").first?.contains(role) == true, "PostgreSQL names the role")
        let told = try StrictExposition(registry.render())
        #expect(told.value("capture_dependency_up", ["dependency": "postgres"]) == "1")
    }
}
