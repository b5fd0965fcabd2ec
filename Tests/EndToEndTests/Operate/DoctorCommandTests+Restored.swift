import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import TestSupport
import Testing

extension DoctorCommandTests {
    /// As README brings Redis back; a worker finds the results and acknowledges the captures again.
    @Test func `captures of an older queue that were settled since have no files, and have lost none`() async throws {
        let scene = try await FilesystemScene.set(redis: ["--auto-aof-rewrite-percentage", "0"])
        let stack = scene.stack
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        // Nobody is there to enqueue it a second time.
        try await gateway.process.kill()
        let queue = stack.redis.directory.appending(path: "appendonlydir")
        let older = stack.directory.appending(path: "older")
        try await stack.redis.stop()
        try FileManager.default.copyItem(at: queue, to: older)
        try await stack.redis.restart()

        let worker = try stack.worker()
        try await eventually { try scene.files(of: capture).isEmpty }
        try await worker.expectStop()
        let results = try await stack.psql("SELECT count(*) FROM captures")
        try #require(results.hasPrefix("1"), "\(results)")

        try await stack.redis.stop()
        try FileManager.default.removeItem(at: queue)
        try FileManager.default.copyItem(at: older, to: queue)
        try await stack.redis.restart()
        // Nobody is missed who works.
        #expect(try await stack.capturectl("pause").exitCode == 0)
        let report = try await stack.capturectlJSON("doctor")
        #expect(report.exitCode == 0, "\(report.object)")
        let left = try check("results", of: report.object)
        #expect(left["state"] as? String == "note", "it is in the queue again: \(left)")
        #expect(try check("bytes in files", of: report.object)["state"] as? String == "ok")
    }

    /// Has a gateway accept a capture, which it leaves behind: with a row that is older than what may be under way.
    private func acceptedAWhileAgo(by stack: Stack) async throws -> CaptureID {
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        try await gateway.process.kill()
        try await stack.psql("UPDATE intake SET recorded_at = recorded_at - interval '2 minutes'")
        return capture
    }

    /// As after a restore that has not removed the statuses, or a failover that has lost commits.
    @Test func `an open row that Redis calls settled and the record has no result of is a problem`() async throws {
        let stack = try await Stack.start()
        let capture = try await acceptedAWhileAgo(by: stack)
        let well = try await stack.capturectlJSON("doctor")
        #expect(try check("ledger", of: well.object)["state"] as? String == "ok", "it is queued: \(well.object)")
        try await stack.withBackstage { queue, _, _ in
            let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let item = LaneSettlement.Item(id: capture, disposition: .settled(.verified))
            _ = try await queue.settle([
                LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
            ])
        }
        let ill = try await stack.capturectlJSON("doctor")
        #expect(ill.exitCode == 1, "\(ill.object)")
        var line = try check("ledger", of: ill.object)
        #expect(line["state"] as? String == "problem", "\(line)")
        #expect(line["found"] as? String == "1 open row settled in Redis and without a result", "\(line)")
        #expect(line["examples"] as? [String] == [capture.description], "\(line)")
        line = try check("ledger", of: try await stack.capturectlJSON("doctor", "--fix").object)
        #expect(line["found"] as? String == "1 open row with neither result nor queue entry", "\(line)")
        let notes = try await stack.psql(
            "SELECT count(*) FROM audit WHERE details->>'fault' = 'SETTLED_WITHOUT_RESULT'")
        #expect(notes == "1")
        let second = try await stack.gateway()
        try await eventually { try await stack.redis.cli("EXISTS", "{cq:0}:job:\(capture)") == "1" }
        second.process.signal(SIGTERM)
    }

    /// As after a failover to a standby that had neither the result nor the row, which goes with a verified capture.
    @Test func `a settled capture whose result the record has lost is a problem, until --fix forgets its status`()
        async throws
    {
        let stack = try await Stack.start()
        let (gateway, worker) = (try await stack.gateway(), try stack.worker())
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let signed = try phone.shoot(seed: 1)
        let capture = try await phone.upload(signed)
        _ = try await phone.settled(capture)
        let status = "{cq:0}:settled:\(capture)"
        try await eventually { try await stack.redis.cli("EXISTS", status) == "1" }
        try await worker.expectStop()
        let well = try await stack.capturectlJSON("doctor")
        #expect(well.exitCode == 0, "\(well.object)")
        let sound = try check("statuses", of: well.object)
        #expect(sound["found"] as? String == "1 settled capture, none without a result", "\(sound)")
        try await stack.psql(
            """
            ALTER TABLE captures DISABLE TRIGGER captures_kept;
            DELETE FROM captures;
            ALTER TABLE captures ENABLE TRIGGER captures_kept
            """)
        let ill = try await stack.capturectlJSON("doctor")
        let line = try check("statuses", of: ill.object)
        #expect(ill.exitCode == 1 && line["state"] as? String == "problem", "\(ill.object)")
        #expect(line["found"] as? String == "1 capture settled in Redis and not in the record", "\(line)")
        #expect(line["examples"] as? [String] == [capture.description], "\(line)")
        let fixed = try await stack.capturectlJSON("doctor", "--fix")
        #expect(fixed.exitCode == 0 && states(fixed.object)["statuses"] == "repaired", "\(fixed.object)")
        #expect(try await stack.redis.cli("EXISTS", status) == "0")
        let notes = try await stack.psql(
            "SELECT subject FROM audit WHERE details->>'fault' = 'STATUS_WITHOUT_RESULT'")
        #expect(notes == capture.description)
        #expect(try await phone.upload(signed) != capture, "the bundle is accepted anew")
        try await gateway.process.expectStop()
    }

    /// Somebody who can write to Redis has written it: the bytes are there, and so is the row.
    @Test func `a status that somebody has written hides no accepted capture once --fix has forgotten it`()
        async throws
    {
        let stack = try await Stack.start()
        let capture = try await acceptedAWhileAgo(by: stack)
        let device = try await stack.psql("SELECT device_id FROM intake")
        try await stack.redis.cli("DEL", "{cq:0}:job:\(capture)", "{cq:0}:lane:\(device)")
        try await stack.redis.cli(
            "SET", "{cq:0}:settled:\(capture)", "\(device) verified - 1 1 1 1 1 1 1 -", "PX", "999999999999999")
        _ = try await stack.capturectlJSON("doctor", "--fix")
        #expect(try await stack.redis.cli("TTL", "{cq:0}:photo:\(capture)") == "-1")
        let second = try await stack.gateway()
        try await eventually { try await stack.redis.cli("EXISTS", "{cq:0}:job:\(capture)") == "1" }
        second.process.signal(SIGTERM)
        #expect(try await stack.redis.cli("EXISTS", "{cq:0}:photo:\(capture)", "{cq:0}:depth:\(capture)") == "2")
    }
}
