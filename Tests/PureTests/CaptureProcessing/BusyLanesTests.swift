import CoreMetrics
import Observability
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("Lanes in a worker's hands")
struct BusyLanesTests {
    private let registry = PrometheusRegistry()

    private func told(_ state: String) throws -> String? {
        try StrictExposition(registry.render()).value("capture_worker_lanes", ["state": state])
    }

    @Test func `lanes in a worker's hands are told of for as long as they are worked`() async throws {
        try await withMetricsFactory(registry) { () async throws in
            let busyLanes = BusyLanes(limit: 8)
            #expect(try told("busy") == "0" && told("limit") == "8")
            let held = await busyLanes.hold(3) { await busyLanes.hold(2) { try? told("busy") } }
            #expect(held == "5")
            #expect(try told("busy") == "0" && told("limit") == "8")
        }
    }
}
