import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("capturectl doctor", .timeLimit(.minutes(5)))
struct DoctorCommandTests {
    /// One line of the report.
    func check(_ name: String, of report: [String: Any]) throws -> [String: Any] {
        try #require((report["checks"] as? [[String: Any]])?.first { $0["name"] as? String == name }, "\(report)")
    }

    /// The states of the report's lines by their names.
    func states(_ report: [String: Any]) -> [String: String] {
        let checks = report["checks"] as? [[String: Any]] ?? []
        return Dictionary(checks.map { ($0["name"] as? String ?? "", $0["state"] as? String ?? "") }) { first, _ in
            first
        }
    }

    @Test func `a sound stack is healthy`() async throws {
        let stack = try await Stack.start()
        let report = try await stack.capturectlJSON("doctor")
        #expect(report.exitCode == 0, "\(report.object)")
        #expect(states(report.object).filter { $0.value != "ok" } == ["workers": "note"], "nobody works, nothing waits")
        let worker = try stack.worker()
        try await worker.line(containing: "ready")
        try await eventually {
            Set(states(try await stack.capturectlJSON("doctor").object).values) == ["ok"]
        }
        let table = try await stack.capturectl("doctor")
        #expect(table.exitCode == 0 && table.output.hasSuffix("healthy") && !table.output.contains("\u{1B}"))
        try await worker.expectStop()
    }

    @Test func `the doctor names what was accepted and is nowhere any more`() async throws {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        // Nobody is there to put it back.
        try await gateway.process.kill()
        try await stack.redis.cli("FLUSHALL")
        try await stack.psql("UPDATE intake SET recorded_at = recorded_at - interval '2 minutes'")
        let report = try await stack.capturectlJSON("doctor")
        #expect(report.exitCode == 1)
        let one = try check("ledger", of: report.object)
        #expect(one["state"] as? String == "problem", "\(report.object)")
        #expect(one["examples"] as? [String] == [capture.description], "\(report.object)")
        // Far more than it looks at in one go.
        try await stack.psql(
            """
            INSERT INTO intake (
                capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest,
                photo_bytes, depth_bytes, received_at, bundle_store, recorded_at)
            SELECT gen_random_uuid(), sha256(n::text::bytea), device_id, binding, assertion, metadata, photo_digest,
                depth_digest, photo_bytes, depth_bytes, received_at, bundle_store, recorded_at
            FROM intake, generate_series(1, 600) AS n
            """)
        let many = try check("ledger", of: try await stack.capturectlJSON("doctor").object)
        #expect(many["state"] as? String == "problem" && "\(many)".contains("601 open rows"), "\(many)")
    }

    /// Faults whose functions are not there are neither looked for nor noted, and so not mended.
    @Test func `the doctor mends nothing while a full Redis keeps an older function library`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            _ = try await crowd.enqueue(rounds: 2, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            try await stack.redis.cli("HSET", "{cq:0}:stats", "queued", "70")
            let version = FunctionLibrary.current.version
            let older = FunctionLibrary.current.source.replacing(
                "local LIBRARY_VERSION = \(version)", with: "local LIBRARY_VERSION = \(version - 1)")
            try await stack.redis.load(functions: older)
            try await stack.redis.cli("CONFIG", "SET", "maxmemory", "1")
            #expect(try await stack.capturectl("doctor", "--fix").exitCode == 1)
            #expect(try await stack.redis.cli("HGET", "{cq:0}:stats", "queued") == "70")
            try await stack.redis.cli("CONFIG", "SET", "maxmemory", "0")
            #expect(states(try await stack.capturectlJSON("doctor", "--fix").object)["counters"] == "repaired")
            #expect(try await stack.redis.cli("HGET", "{cq:0}:stats", "queued") == "2")
        }
    }

    @Test func `the doctor names what is wrong, repairs it when told to, and notes who told it`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(3, in: store)
            #expect(try await stack.capturectl("pause").exitCode == 0)
            let capture = try Crowd.smallCapture()
            _ = try await crowd.enqueue(rounds: 2, sharing: capture, queue: queue, bundles: bundles)
            try await stack.redis.cli("DEL", "{cq:0}:ready")
            try await stack.redis.cli("HSET", "{cq:0}:stats", "queued", "70")
            try await stack.redis.cli("CONFIG", "SET", "appendfsync", "everysec")
            let ill = try await stack.capturectlJSON("doctor")
            #expect(ill.exitCode == 1)
            var expected = states(ill.object).filter { $0.value == "problem" }.map(\.key).sorted()
            #expect(expected == ["counters", "durability", "lanes and tokens"], "\(ill.object)")

            try await stack.redis.cli("CONFIG", "RESETSTAT")
            let half = try await stack.capturectlJSON("doctor", "--fix", "--actor", "carol")
            #expect(half.exitCode == 1, "it does not change a server's settings")
            let walks = try await stack.redis.cli("INFO", "commandstats").contains("cmdstat_scan:calls=3,")
            #expect(walks, "it walks before, after mending, and to see what is left")
            expected = states(half.object).filter { $0.value == "repaired" }.map(\.key).sorted()
            #expect(expected == ["counters", "lanes and tokens"], "\(half.object)")
            try await stack.redis.cli("CONFIG", "SET", "appendfsync", "always")
            #expect(try await stack.capturectl("doctor").exitCode == 0)
            let trail = try await store.auditTrail(of: "queue", limit: 10)
            #expect(trail.contains { $0.action == "queue.repair" && $0.actor == "carol" })
            #expect(try await stack.capturectl("resume").exitCode == 0)
            let nobody = try await stack.capturectlJSON("doctor")
            #expect(nobody.exitCode == 1 && states(nobody.object)["workers"] == "problem")
            let worker = try stack.worker()
            try await drain(queue)
            try await worker.expectStop()
        }
    }

    @Test func `a lane in the hands of a worker that is gone is told of while the queue is paused, too`() async throws {
        // A lease that is longer than the two commands take, however slow they are, and far shorter than an hour.
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_LEASE": "600s"])
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            _ = try await crowd.enqueue(rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            #expect(try await stack.capturectl("pause").exitCode == 0)
            let fresh = try check("workers", of: try await stack.capturectlJSON("doctor").object)
            #expect(fresh["state"] as? String == "note" && fresh["found"] as? String == "paused", "\(fresh)")
            // As if nobody had renewed it for an hour.
            let token = try #require(lease.token.text.split(separator: "#").first)
            try await stack.redis.cli(
                "XCLAIM", "{cq:0}:ready", "workers", "tests", "0", String(token), "IDLE", "3600000", "JUSTID")
            let held = try check("workers", of: try await stack.capturectlJSON("doctor").object)
            #expect(held["found"] as? String == "paused, and a lane is held for 1 h without a renewal", "\(held)")
            #expect((held["meaning"] as? String)?.contains("resume") == true)
        }
    }

    @Test func `functions and schema of another release are told apart from this one's`() async throws {
        let stack = try await Stack.start()
        try await stack.redis.cli("FUNCTION", "FLUSH")
        try await stack.psql(
            "DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)")
        let report = try await stack.capturectlJSON("doctor")
        #expect(report.exitCode == 1)
        #expect(states(report.object)["function library"] == "problem")
        #expect(states(report.object)["PostgreSQL schema"] == "problem")
        #expect(states(report.object)["lanes and tokens"] == "note", "nobody can tell without the functions")
        #expect(try await stack.redis.cli("FUNCTION", "LIST").isEmpty, "who only looks loads nothing")
        // Nothing is repaired that the audit might not be told of.
        #expect(try await stack.capturectl("doctor", "--fix").exitCode == 1)
        #expect(try await stack.redis.cli("FUNCTION", "LIST").isEmpty)
    }

    @Test func `functions that are missing are loaded when it is told to repair, and then the rest is looked at`()
        async throws
    {
        let stack = try await Stack.start()
        try await stack.redis.cli("FUNCTION", "FLUSH")
        #expect(try await stack.capturectl("doctor").exitCode == 1)
        let fixed = try await stack.capturectlJSON("doctor", "--fix")
        #expect(fixed.exitCode == 0, "\(fixed.object)")
        #expect(states(fixed.object)["function library"] == "repaired")
        #expect(states(fixed.object)["lanes and tokens"] == "ok")
        let healthy = try await stack.capturectlJSON("doctor")
        let others = states(healthy.object).filter { $0.key != "workers" }
        #expect(healthy.exitCode == 0 && Set(others.values) == ["ok"], "\(healthy.object)")
    }

    @Test(arguments: [["doctor", "--json"], ["doctor", "--fix", "--json"]])
    func `a database without a schema is a report, and not the end of it`(arguments: [String]) async throws {
        let stack = try await Stack.start()
        let empty = try await stack.postgres.createDatabase()
        let run = try await stack.capturectl(arguments, settings: ["CAPTURE_POSTGRES_URL": empty])
        #expect(run.exitCode == 1, "\(run.output)")
        let line = try #require(run.output.split(separator: "\n").last)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(states(report)["PostgreSQL schema"] == "problem")
        #expect(states(report)["results"] == "note" && states(report)["ledger"] == "note", "\(report)")
        #expect(states(report)["lanes and tokens"] == "ok", "the queue is looked at all the same")
    }

    /// A stack with one dead letter, and a result with its id: of the letter's own capture, or of another one.
    private func withSettledLetter(
        ofAnother: Bool, _ body: @Sendable (Stack, CaptureID, RedisCaptureQueue) async throws -> Void
    ) async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            let sent = try await crowd.enqueue(
                rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            let id = try #require(sent.keys.first)
            let lease = try #require(
                try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            guard case .valid(var job)? = lease.jobs.first else {
                Issue.record("no job")
                return
            }
            if ofAnother {
                var maker = SubmissionMaker(seed: 1)
                job = CaptureJob(
                    submission: maker.submission(of: lease.device, id: id, receivedAt: job.receivedAt),
                    receivedAt: job.receivedAt, claimedAt: job.claimedAt, attempts: 1, isRedriven: false)
            }
            // Its worker settles it and dies, again and again, before it can say so.
            _ = try await store.settle(
                [
                    ExaminedCapture(
                        job: job, clientDataHash: .hash([]), checks: [],
                        outcome: .rejected(.photoMalformed, device: nil, counter: nil), capturedAt: nil,
                        verifiedAt: job.claimedAt)
                ], policy: .strict)
            let item = LaneSettlement.Item(id: id, disposition: .dead(.deliveriesExhausted, fault: "never settled"))
            _ = try await queue.settle([
                LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
            ])
            try await body(stack, id, queue)
        }
    }

    @Test func `a dead letter that has a result in the record is acknowledged`() async throws {
        try await withSettledLetter(ofAnother: false) { stack, id, queue in
            let worker = try stack.worker()
            try await worker.line(containing: "ready")
            let ill = try await stack.capturectlJSON("doctor")
            #expect(ill.exitCode == 1 && states(ill.object)["results"] == "problem", "\(ill.object)")
            _ = try await stack.capturectl("doctor", "--fix")
            try await eventually { try await queue.status(of: [id]).first??.state == .rejected }
            #expect(try await queue.status(of: [id]).first??.reason == .photoMalformed)
            #expect(try await stack.capturectl("doctor").exitCode == 0)
            try await worker.expectStop()
        }
    }

    /// The record refuses it at every try: put back, it would be given up again.
    @Test func `a dead letter with the id of another capture's result is named, and left to an operator`()
        async throws
    {
        try await withSettledLetter(ofAnother: true) { stack, id, queue in
            for isFix in [false, true] {
                let report =
                    try await isFix ? stack.capturectlJSON("doctor", "--fix") : stack.capturectlJSON("doctor")
                let line = try check("results", of: report.object)
                #expect(report.exitCode == 1 && line["state"] as? String == "problem", "\(report.object)")
                #expect(line["found"] as? String == "1 dead letter with the id of another capture's result", "\(line)")
                #expect(line["examples"] as? [String] == ["\(id)"], "\(line)")
            }
            #expect(try await queue.status(of: [id]).first??.state == .failed)
        }
    }
}
