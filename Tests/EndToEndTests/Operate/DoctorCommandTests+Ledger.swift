import CaptureModel
import TestSupport
import Testing

extension DoctorCommandTests {
    /// As after a discard that was killed between the ledger and the queue.
    @Test func `a dead letter without a row is noted, and has its row again when it is put back`() async throws {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        try await gateway.process.kill()
        _ = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
        let well = try check("ledger", of: try await stack.capturectlJSON("doctor").object)
        #expect(well["state"] as? String == "ok", "\(well)")
        try await stack.psql("CREATE TABLE taken AS SELECT * FROM intake")
        try await stack.psql("DELETE FROM intake")
        let line = try check("ledger", of: try await stack.capturectlJSON("doctor").object)
        #expect(line["state"] as? String == "note", "\(line)")
        #expect(line["found"] as? String == "1 dead letter without a row", "\(line)")
        #expect(line["examples"] as? [String] == [capture.description], "\(line)")
        #expect(try await stack.capturectl("dead", "redrive", "\(capture)").exitCode == 0)
        // The bundle is known by the same digest, and the capture is no younger than it was.
        let same = try await stack.psql(
            """
            SELECT count(*) FROM intake JOIN taken USING (capture_id, bundle_digest, device_id, assertion, metadata)
            WHERE intake.recorded_at <= taken.recorded_at AND intake.buried_at IS NOT NULL AND intake.closed_at IS NULL
            """)
        #expect(same == "1")
    }

    /// As after a change to the ledger before the queue was empty.
    @Test func `a waiting capture without a row is noted where gateways keep the ledger, until it is settled`()
        async throws
    {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        _ = try await phone.upload(try phone.shoot(seed: 1))
        _ = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
        let waiting = try await phone.upload(try phone.shoot(seed: 2))
        try await gateway.process.kill()
        try await stack.psql("DELETE FROM intake")
        let line = try check("ledger", of: try await stack.capturectlJSON("doctor").object)
        #expect(line["state"] as? String == "note", "\(line)")
        #expect(line["found"] as? String == "1 waiting capture and 1 dead letter without a row", "\(line)")
        #expect((line["examples"] as? [String])?.first == waiting.description, "\(line)")
        let without = stack.environment.merging(["CAPTURE_QUEUE_DURABILITY": "fsync"]) { $1 }
        let other = try #require(try await CommandLineRun(["doctor", "--json"], environment: without).objects().first)
        #expect(try check("ledger", of: other)["state"] as? String == "ok", "\(other)")
        let worker = try stack.worker()
        try await eventually {
            let line = try check("ledger", of: try await stack.capturectlJSON("doctor").object)
            return line["found"] as? String == "1 dead letter without a row"
        }
        try await worker.expectStop()
    }
}
