import CaptureModel
import DeviceSimulator
import TestSupport
import Testing

/// A key that somebody has written over by hand is one line of the report, and not the end of it.
extension DoctorCommandTests {
    @Test(arguments: ["ready", "heads", "delayed", "dead", "stats", "lane_bytes", "limits"])
    func `the doctor names a key of another type beside everything else, and repairs nothing around it`(
        name: String
    ) async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            let sent = try await crowd.enqueue(
                rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            let capture = try #require(sent.keys.first)
            let key = "{cq:0}:\(name)"
            try await stack.redis.cli("DEL", key)
            try await stack.redis.cli("SET", key, "x")
            try await stack.redis.cli("PEXPIRE", "{cq:0}:job:\(capture)", "600000")
            for fixes in [false, true] {
                let report =
                    fixes ? try await stack.capturectlJSON("doctor", "--fix") : try await stack.capturectlJSON("doctor")
                #expect(report.exitCode == 1)
                let keys = try check("keys", of: report.object)
                #expect(keys["state"] as? String == "problem" && keys["examples"] as? [String] == [key], "\(keys)")
                #expect(states(report.object)["lanes and jobs"] == "problem", "\(report.object)")
            }
            #expect(try await stack.redis.cli("GET", key) == "x")
        }
    }
}
