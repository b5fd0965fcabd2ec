import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Dead letters in the hands of an operator", .timeLimit(.minutes(5)))
struct DeadLetterTests {
    @Test func `dead letters are listed, grouped, shown, put back and discarded, and the audit knows who did it`()
        async throws
    {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let capture = try Crowd.smallCapture()
            let (one, two) = (try await Crowd.register(1, in: store), try await Crowd.register(1, in: store))
            _ = try await one.enqueue(rounds: 3, sharing: capture, queue: queue, bundles: bundles)
            let first = try await queue.bury(fault: "connection refused")
            _ = try await two.enqueue(rounds: 2, sharing: capture, queue: queue, bundles: bundles)
            let second = try await queue.bury(fault: "Constraint odd", reason: .internal)

            try await lists(stack, first, second, device: one.devices[0].id)
            try await shows(stack, first[0])

            // Nobody is there to be asked.
            #expect(try await stack.capturectl("dead", "discard", "\(second[0])").exitCode == 64)
            #expect(try await stack.capturectl("dead", "redrive", "--all").exitCode == 64)
            let dry = try await stack.capturectlJSON("dead", "discard", "--all", "--dry-run")
            #expect(dry.exitCode == 0 && dry.object["done"] as? Int == 0)
            #expect(try await queue.load().deadLetters == 5)

            let retry = try await stack.capturectlJSON(
                "dead", "redrive", "--all", "--fault", "REFUSED", "--yes", "--actor", "alice")
            #expect(retry.exitCode == 0 && retry.object["done"] as? Int == 3)
            let discard = try await stack.capturectl("dead", "discard", "\(second[0])", "\(first[0])", "--yes")
            #expect(discard.exitCode == 1, "one of them is none any more: \(discard.output)")
            #expect(discard.output.contains("no dead letter: \(first[0])"))
            #expect(try await queue.load().deadLetters == 1)
            #expect(try await queue.status(of: [second[0]]) == [nil])

            // Whoever retries it once more sees who did before.
            let buried = try #require(try await queue.bury(fault: "connection refused again").first)
            let again = try await stack.capturectlJSON("dead", "show", "\(buried)")
            let deed = try #require((again.object["audit"] as? [[String: Any]])?.first)
            #expect(deed["action"] as? String == "capture.redrive" && deed["actor"] as? String == "alice")
            #expect((deed["at"] as? String).flatMap { Timestamp(rfc3339: $0) } != nil)

            for id in first {
                let entry = try #require(try await store.auditTrail(of: "\(id)", limit: 5).first)
                #expect(entry.action == "capture.redrive" && entry.actor == "alice")
                #expect(entry.details["fault"] == "connection refused")
            }
            #expect(try await store.auditTrail(of: "\(second[0])", limit: 5).map(\.action) == ["capture.discard"])
            #expect(try await store.auditTrail(of: "\(second[1])", limit: 5).isEmpty)
        }
    }

    private func lists(
        _ stack: Stack, _ first: [CaptureID], _ second: [CaptureID], device: DeviceID
    ) async throws {
        func ids(_ object: [String: Any]) -> [String] {
            (object["dead_letters"] as? [[String: Any]] ?? []).compactMap { $0["capture_id"] as? String }
        }
        let all = try await stack.capturectlJSON("dead", "list")
        #expect(all.exitCode == 0 && ids(all.object).count == 5 && all.object["next"] is NSNull)
        let page = try await stack.capturectlJSON("dead", "list", "--limit", "2")
        let rest = try await stack.capturectlJSON(
            "dead", "list", "--after", try #require(page.object["next"] as? String))
        #expect(ids(page.object) + ids(rest.object) == ids(all.object), "pages fit together")
        #expect(
            Set(ids(try await stack.capturectlJSON("dead", "list", "--device", "\(device)").object))
                == Set(first.map(\.description)))
        #expect(
            Set(ids(try await stack.capturectlJSON("dead", "list", "--reason", "INTERNAL").object))
                == Set(second.map(\.description)))
        let groups = try await stack.capturectlJSON("dead", "list", "--group").object["groups"] as? [[String: Any]]
        #expect(groups?.compactMap { $0["captures"] as? Int } == [3, 2])
        #expect(groups?.first?["fault"] as? String == "connection refused")
        let table = try await stack.capturectl("dead", "list", "--fault", "odd")
        #expect(table.output.contains("Constraint odd") && !table.output.contains("\u{1B}"))
        #expect(try await stack.capturectl("dead", "list", "--reason", "NONE").exitCode == 64)
    }

    private func shows(_ stack: Stack, _ capture: CaptureID) async throws {
        let show = try await stack.capturectlJSON("dead", "show", "\(capture)")
        #expect(show.object["fault"] as? String == "connection refused")
        #expect(show.object["bytes_kept"] as? Bool == true && show.object["deliveries"] as? Int == 1)
        #expect(show.object["attempts"] as? Int == 1 && (show.object["audit"] as? [Any])?.isEmpty == true)
        let text = try await stack.capturectl("dead", "show", "\(capture)")
        #expect(text.exitCode == 0 && text.output.contains("ATTEMPTS_EXHAUSTED"))
        #expect(try await stack.capturectl("dead", "show", "\(UUID())").exitCode == 1)
        #expect(try await stack.capturectl("dead", "show", "nonsense").exitCode == 64)
        let away = stack.environment.merging(["CAPTURE_POSTGRES_URL": "postgresql://127.0.0.1:1/none"]) { $1 }
        let rest = try await CommandLineRun(["dead", "show", "\(capture)", "--json"], environment: away)
        #expect(rest.exitCode == 0, "\(rest.errors)")
        #expect(rest.errors.hasPrefix("capturectl: without its audit: PostgreSQL: "), "\(rest.errors)")
        let object = try #require(try rest.objects().first)
        #expect(object["fault"] as? String == "connection refused" && object["audit"] is NSNull)
    }

    @Test func `bytes in files that a worker did not find are looked for before anybody decides on them`()
        async throws
    {
        let scene = try await FilesystemScene.set()
        let stack = scene.stack
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        _ = try await stack.withBackstage { queue, _, _ in
            try await queue.bury(fault: "nowhere", reason: .bundleMissing)
        }
        // Sent again, they would be there again; nobody else looks.
        let back = try await stack.capturectl("dead", "show", "\(capture)")
        #expect(back.output.contains(/bytes +kept/), "\(back.output)")
        let whole = try await stack.capturectl("dead", "redrive", "--all", "--dry-run")
        #expect(whole.exitCode == 0 && !whole.output.contains("the bytes of"), "\(whole.output)")
        let worth = try await stack.capturectlJSON("dead", "discard", "\(capture)", "--dry-run")
        #expect(worth.object["selected_bytes"] as? Int ?? 0 > 0, "\(worth.object)")
        for file in try scene.files(of: capture) { try FileManager.default.removeItem(at: file) }
        #expect(try await stack.capturectl("dead", "show", "\(capture)").output.contains(/bytes +gone/))
        #expect(try await stack.capturectlJSON("dead", "show", "\(capture)").object["bytes_kept"] as? Bool == false)
        #expect(try await stack.capturectl("dead", "list").output.contains(/\bnot found +BUNDLE_MISSING/))
        let groups = try await stack.capturectlJSON("dead", "list", "--group").object["groups"] as? [[String: Any]]
        #expect(groups?.first?["bytes"] as? Int == 0, "\(groups ?? [])")
        let dry = try await stack.capturectl("dead", "redrive", "--all", "--dry-run")
        #expect(dry.output.contains("the bytes of 1 are gone: redriven"), "\(dry.output)")
        let drop = try await stack.capturectl("dead", "discard", "\(capture)", "--dry-run")
        #expect(drop.output.contains("the bytes of 1 are gone: their bundles, sent again, put"), "\(drop.output)")
        #expect(!drop.output.contains("redriven"), "nobody redrives it: \(drop.output)")
        // Without the directory nobody can look, and there is only the worker's word.
        for (arguments, words) in [
            (["show", "\(capture)"], "not found by a worker, not looked for again"),
            (["redrive", "\(capture)", "--dry-run"], "the bytes of 1 were not found by a worker"),
        ] {
            let blind = try await stack.capturectl(
                ["dead"] + arguments, settings: ["CAPTURE_BUNDLES_STORE": "redis", "CAPTURE_BUNDLES_DIRECTORY": ""])
            #expect(blind.output.contains(words), "\(blind.output)")
        }
        try await gateway.process.kill()
    }

    /// Its files and its row in the ledger are there.
    @Test func `a dead letter whose job Redis has lost is not told to be without bytes, and a redrive puts it back`()
        async throws
    {
        let scene = try await FilesystemScene.set(settings: ["CAPTURE_QUEUE_DURABILITY": "ledger"])
        let stack = scene.stack
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        _ = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "lost", reason: .internal) }
        // So that no more is left than a worker writes that gives a lost job up.
        try await stack.redis.cli("HDEL", "{cq:0}:job:\(capture)", "submission", "bundle", "received_at")
        let looks = [
            ["show", "\(capture)"], ["list"], ["redrive", "--all", "--dry-run"], ["discard", "--all", "--dry-run"],
        ]
        for look in looks {
            for form in [[], ["--json"]] {
                let run = try await stack.capturectl(["dead"] + look + form)
                #expect(run.exitCode == 0, "\(run.output)")
                let words = run.output.replacing("\"bytes_gone\":0", with: "")
                #expect(!words.contains("gone") && !words.contains("1970-01"), "\(run.output)")
            }
        }
        #expect(try await stack.capturectl("dead", "show", "\(capture)").output.contains(/bytes +kept/))
        let dry = try await stack.capturectl("dead", "redrive", "--all", "--dry-run")
        #expect(dry.output.contains("the jobs of 1 are lost or malformed: redriven, they are worked"), "\(dry.output)")
        // Where nobody can look into the directory.
        let blind = try await stack.capturectl(
            ["dead", "show", "\(capture)"],
            settings: ["CAPTURE_BUNDLES_STORE": "redis", "CAPTURE_BUNDLES_DIRECTORY": ""])
        #expect(blind.output.contains(/bytes +unknown/), "\(blind.output)")
        let redriven = try await stack.capturectlJSON("dead", "redrive", "\(capture)")
        #expect(redriven.exitCode == 0 && redriven.object["done"] as? Int == 1, "\(redriven.object)")
        let worker = try stack.worker()
        #expect(try await phone.settled(capture).state == .verified)
        try await worker.expectStop()
        try await gateway.process.kill()
    }

    @Test func `what a fault ends half-way tells how far it came, and the audit has the rest as missed`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(4, in: store)
            _ = try await crowd.enqueue(rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            let buried = try await queue.bury(fault: "of the test")
            try #require(buried.count == 4)
            // Redis refuses to put anything into a lane that is none.
            let device = try #require(try await queue.deadLetter(buried[1])).status.device
            try await stack.redis.cli("SET", "{cq:0}:lane:\(device)", "no list")
            let ids = buried.map(\.description)
            let command = ["dead", "redrive", ids[0], ids[1], ids[2], "--actor", "alice"]
            let run = try await stack.capturectl(command + ["--json"])
            #expect(run.exitCode == 70 && run.output.contains("capturectl: Redis: "), "\(run.output)")
            let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("{") })
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["done"] as? Int == 1 && object?["interrupted"] as? Int == 2, "\(run.output)")
            #expect(object?["audit_ahead"] as? Bool == false)
            for (id, actions) in zip(ids, [1, 2, 2, 0]) {
                let trail = try await store.auditTrail(of: id, limit: 5).map(\.action)
                #expect(trail == Array(["capture.redrive.missed", "capture.redrive"].suffix(actions)), "\(id)")
            }
        }
    }

    @Test func `a capture out of attempts that was overtaken is stale when put back, and no replay`() async throws {
        // Put off again and again, for half a second at least: until somebody has asked.
        let stack = try await Stack.start(settings: [
            "CAPTURE_WORKER_ATTEMPTS_MAX": "1000", "CAPTURE_WORKER_RETRY_BASE": "5s", "CAPTURE_WORKER_RETRY_CAP": "5s",
        ])
        let (gatewayProcess, gateway) = try await stack.gateway()
        let phone = try await Phone.register(with: gateway, authority: stack.authority)
        // The record meets damage of its own.
        try await stack.psql(
            """
            CREATE FUNCTION damaged() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'an index is damaged' USING ERRCODE = 'XX002'; END $$;
            CREATE TRIGGER damaged BEFORE INSERT ON captures FOR EACH ROW EXECUTE FUNCTION damaged()
            """)
        let patient = try stack.worker()
        let old = try await phone.upload(try phone.shoot(seed: 1))
        try await seesRetry(of: old, gateway)
        try await patient.expectStop()
        // Whose every try is the last.
        let impatient = try stack.worker(["CAPTURE_WORKER_ATTEMPTS_MAX": "1"])
        let failed = try await phone.settled(old)
        #expect(failed.state == .failed && failed.reason == "ATTEMPTS_EXHAUSTED")
        try await impatient.expectStop()
        try await keepsEverything(stack, old)
        try await stack.psql("DROP FUNCTION damaged() CASCADE")
        let worker = try stack.worker()
        #expect(try await phone.settled(try await phone.upload(try phone.shoot(seed: 2))).state == .verified)

        #expect(try await stack.capturectl("dead", "redrive", "\(old)").exitCode == 0)
        try await stack.withBackstage { queue, _, store in
            try await eventually { try await queue.status(of: [old]).first??.state == .rejected }
            let status = try #require(try await queue.status(of: [old]).first ?? nil)
            #expect(status.reason == .counterStale && status.isRedriven)
            let result = try #require(try await store.results(of: [old])[old])
            #expect(result.reason == .counterStale && result.isRedriven)
        }
        let record = try await gateway.provenance(old) { _ in .token(Stack.token) }
        #expect(record["redriven"] == .bool(true) && record["reason"]?.string == "COUNTER_STALE")
        try await worker.expectStop()
        withExtendedLifetime(gatewayProcess) {}
    }

    /// The status names the fault and the next time while the capture is put off.
    private func seesRetry(of capture: CaptureID, _ gateway: GatewayClient) async throws {
        try await eventually {
            let status = try await gateway.status(capture) { _ in .token(Stack.token) }
            guard status.state == .retrying else { return false }
            #expect(status.fault?.contains("XX002") == true)
            #expect(status.nextAttemptAt != nil && status.isRedriven == false)
            return true
        }
    }

    /// Neither the job nor the bytes nor the known bundle have an end.
    private func keepsEverything(_ stack: Stack, _ capture: CaptureID) async throws {
        let bundle = try await stack.redis.cli("HGET", "{cq:0}:job:\(capture)", "bundle")
        let digest = bundle.prefix { $0 != " " }
        for key in ["job:\(capture)", "photo:\(capture)", "depth:\(capture)", "accepted:\(digest)"] {
            #expect(try await stack.redis.cli("PTTL", "{cq:0}:\(key)") == "-1", "\(key)")
        }
    }
}
