import CaptureModel
import CaptureStore
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import TestSupport
import Testing

/// What `--fix` notes stays in the audit for good, and is read beside each capture.
extension DoctorCommandTests {
    @Test func `the audit is told of repairs that are made, and not of what nobody can repair`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            let sent = try await crowd.enqueue(
                rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            let capture = try #require(sent.keys.first)
            #expect(try await stack.capturectl("pause").exitCode == 0)
            try await stack.redis.cli("DEL", "{cq:0}:photo:\(capture)")
            func repairs(of subject: String) async throws -> [AuditEntry] {
                try await store.auditTrail(of: subject, limit: 10).filter { $0.action == "queue.repair" }
            }
            for _ in 0..<2 {
                let ill = try await stack.capturectlJSON("doctor", "--fix")
                #expect(ill.exitCode == 1 && states(ill.object)["bytes"] == "problem", "\(ill.object)")
            }
            #expect(try await repairs(of: "queue").isEmpty)
            #expect(try await repairs(of: "\(capture)").isEmpty)

            try await stack.redis.cli("DEL", "{cq:0}:ready")
            let half = try await stack.capturectlJSON("doctor", "--fix")
            #expect(half.exitCode == 1 && states(half.object)["lanes and tokens"] == "repaired", "\(half.object)")
            #expect(try await repairs(of: "queue").count == 1)
            #expect(try await repairs(of: "\(capture)").isEmpty, "its bytes are gone as before")
        }
    }
}
