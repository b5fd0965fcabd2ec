import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("capturectl tells the states of captures that Redis does not know", .timeLimit(.minutes(5)))
struct CaptureStateTests {
    /// A stack in which one capture was accepted.
    private func accepted() async throws -> (stack: Stack, gateway: LeashedProcess, phone: Phone, capture: CaptureID) {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        return (stack, gateway, phone, try await phone.upload(try phone.shoot(seed: 1)))
    }

    @Test func `what the ledger has accepted is queued, though Redis has lost it`() async throws {
        let (stack, gateway, phone, capture) = try await accepted()
        // Nobody is there to put it back.
        try await gateway.kill()
        try await stack.redis.cli("FLUSHALL")
        let (code, shown) = try await stack.capturectlJSON("captures", "show", "\(capture)")
        #expect(code == 0 && shown["status"] as? String == "queued")
        #expect(shown["device_id"] as? String == "\(phone.id)" && shown["received_at"] is String)
        #expect(shown["attempts"] as? Int == 0 && shown["redriven"] as? Bool == false)
        let evidence = try await stack.capturectl("captures", "evidence", "\(capture)")
        let words = "of a capture \(capture); it is accepted and has none yet: capturectl captures show"
        #expect(evidence.exitCode == 1 && evidence.output.hasSuffix(words), "\(evidence.output)")
        for option in [["--limit", "2"], ["--state", "queued"], ["--status", "open"]] {
            let (_, list) = try await stack.capturectlJSON("captures", "list", option[0], option[1])
            let captures = try #require(list["captures"] as? [[String: Any]])
            #expect(captures.map { $0["status"] as? String } == ["queued"], "\(option)")
            #expect(captures.first?["attempts"] as? Int == 0 && captures.first?["redriven"] as? Bool == false)
        }
        let (_, none) = try await stack.capturectlJSON("captures", "list", "--state", "processing")
        #expect((none["captures"] as? [Any])?.isEmpty == true && none["next"] is NSNull)
    }

    @Test func `what workers did not come back with is told with its deliveries`() async throws {
        let (stack, gateway, _, capture) = try await accepted()
        defer { withExtendedLifetime(gateway) {} }
        var (_, shown) = try await stack.capturectlJSON("captures", "show", "\(capture)")
        #expect(shown["deliveries"] as? Int == 0 && shown["suspect"] as? Bool == false, "\(shown)")
        try await stack.withBackstage { queue, _, _ in
            _ = try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
            // As if its worker had been gone for an hour.
            let entry = try await stack.redis.cli("XRANGE", "{cq:0}:ready", "-", "+")
            let token = try #require(entry.split(separator: "\n").first)
            try await stack.redis.cli(
                "XCLAIM", "{cq:0}:ready", "workers", "tests", "0", String(token), "IDLE", "3600000", "JUSTID")
            _ = try await queue.takeOver()
        }
        (_, shown) = try await stack.capturectlJSON("captures", "show", "\(capture)")
        #expect(shown["deliveries"] as? Int == 2 && shown["suspect"] as? Bool == true, "\(shown)")
        let text = try await stack.capturectl("captures", "show", "\(capture)").output
        #expect(text.contains(/deliveries +2, suspect: it is worked with a few others/), "\(text)")
    }

    @Test func `what is settled is told while Redis is away, and of nothing else where it stands`() async throws {
        let scene = try await OperatorScene.shared.value()
        // The time to connect is waited out.
        let away = scene.stack.environment.merging([
            "CAPTURE_REDIS_URL": "redis://127.0.0.1:1", "CAPTURE_REDIS_CONNECT_TIMEOUT": "2s",
        ]) { $1 }
        let run = try await CommandLineRun(["captures", "show", "\(scene.verified)", "--json"], environment: away)
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try run.objects().first?["status"] as? String == "verified")
        #expect(run.errors.hasPrefix("capturectl: without what the queue knows of it: Redis: "), "\(run.errors)")
        let other = try await CommandLineRun(
            ["captures", "show", UUID().uuidString.lowercased(), "--json"], environment: away)
        #expect(other.exitCode == 69 && other.output.isEmpty, "\(other.output) \(other.errors)")
    }

    @Test func `what Redis alone calls settled is told as no result`() async throws {
        let (stack, gateway, _, capture) = try await accepted()
        defer { withExtendedLifetime(gateway) {} }
        try await stack.withBackstage { queue, _, _ in
            let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let item = LaneSettlement.Item(id: capture, disposition: .settled(.verified))
            _ = try await queue.settle([
                LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
            ])
        }
        let run = try await CommandLineRun(
            ["captures", "show", "\(capture)", "--json"], environment: stack.environment)
        #expect(run.exitCode == 1 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains("Redis calls it settled, and PostgreSQL has no result of it"), "\(run.errors)")
        let (code, list) = try await stack.capturectlJSON("captures", "list")
        #expect(code == 0 && (list["captures"] as? [Any])?.isEmpty == true, "\(list)")
    }

    @Test func `a job that somebody has written over is named, with what finds the rest`() async throws {
        let (stack, gateway, _, capture) = try await accepted()
        defer { withExtendedLifetime(gateway) {} }
        let key = "{cq:0}:job:\(capture)"
        try await stack.redis.cli("SET", key, "x")
        let run = try await CommandLineRun(["captures", "show", "\(capture)"], environment: stack.environment)
        #expect(run.exitCode == 70 && run.output.isEmpty, "\(run.output)")
        let words = "Redis: DAMAGED \(key) is of another type; somebody has written over it by hand: capturectl doctor"
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test func `what was discarded is told so, and nothing else that an operator did`() async throws {
        let (stack, gateway, _, capture) = try await accepted()
        defer { withExtendedLifetime(gateway) {} }
        try await stack.withBackstage { queue, _, _ in _ = try await queue.bury(fault: "of the test") }
        #expect(try await stack.capturectl("dead", "discard", "\(capture)", "--yes").exitCode == 0)
        let (_, shown) = try await stack.capturectlJSON("captures", "show", "\(capture)")
        #expect(shown["status"] as? String == "discarded")
        let others = [
            (["capture.redrive"], "unknown"), (["capture.discard", "capture.discard.missed"], "unknown"),
            // Two operators at once: one has discarded it, and the other has found nothing more.
            (["capture.discard", "capture.discard", "capture.discard.missed"], "discarded"),
        ]
        for (deeds, state) in others {
            let other = UUID().uuidString.lowercased()
            for deed in deeds {
                try await stack.psql(
                    """
                    INSERT INTO audit (at, actor, action, subject) VALUES (now(), 'alice', '\(deed)', '\(other)')
                    """)
            }
            let (code, object) = try await stack.capturectlJSON("captures", "show", other)
            #expect(code == 0 && object["status"] as? String == state, "\(deeds)")
        }
    }
}
