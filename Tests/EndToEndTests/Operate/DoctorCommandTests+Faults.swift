import CaptureStore
import Foundation
import PostgresCaptureStore
import TestSupport
import Testing

/// A server's fault, or a signal, in the middle: what was found, and what was repaired, is told all the same.
extension DoctorCommandTests {
    /// A stack with one wrong counter.
    private func illStack(redis: PrivateRedis? = nil) async throws -> Stack {
        let stack = try await Stack.start(redis: redis)
        try await stack.redis.cli("HSET", "{cq:0}:stats", "dead_bytes", "999")
        return stack
    }

    /// The doctor, which waits for a lock until the test ends that, however slow the machine is.
    private func patient(_ stack: Stack, _ flags: [String]) throws -> LeashedProcess {
        let waits = ["CAPTURE_POSTGRES_LOCK_TIMEOUT": "60s", "CAPTURE_POSTGRES_STATEMENT_TIMEOUT": "60s"]
        return try LeashedProcess(
            Programs.path("capturectl"), ["doctor", "--json"] + flags,
            environment: stack.environment.merging(waits) { $1 })
    }

    /// The same, and it repairs.
    private func fixing(_ stack: Stack) throws -> LeashedProcess {
        try patient(stack, ["--fix", "--actor", "alice"])
    }

    private func report(of process: LeashedProcess) throws -> [String: Any] {
        let line = try #require(process.output.split(separator: "\n").first { $0.hasPrefix("{") }, "\(process.output)")
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    /// The report of a doctor that is told to stop while it waits.
    private func reportOfStopped(_ process: LeashedProcess, at standstill: Standstill) async throws -> [String: Any] {
        try await standstill.untilMet(by: "capturectl")
        process.signal(SIGTERM)
        try await process.line(containing: "stops after the step under way")
        try await standstill.end()
        #expect(try await process.exitCode() == 143, "\(process.output)")
        let object = try report(of: process)
        #expect(object["stopped"] as? Bool == true && object["healthy"] as? Bool == false, "\(object)")
        return object
    }

    /// What the audit has of a subject, latest first.
    private func actions(on subject: String, _ stack: Stack) async throws -> [String] {
        try await stack.withBackstage { _, _, store in
            try await store.auditTrail(of: subject, limit: 10).map(\.action)
        }
    }

    private static let finding = "dead_bytes: 999, counted 0"

    @Test func `a table that somebody holds ends only what needs PostgreSQL`() async throws {
        let stack = try await illStack()
        let standstill = try await Standstill.begin(in: stack, "LOCK TABLE intake IN ACCESS EXCLUSIVE MODE")
        let impatient = stack.environment.merging(["CAPTURE_POSTGRES_LOCK_TIMEOUT": "500ms"]) { $1 }
        for flags in [[], ["--fix"]] {
            let run = try await CommandLineRun(["doctor", "--json"] + flags, environment: impatient)
            #expect(run.exitCode == 69 && run.errors.hasPrefix("capturectl: PostgreSQL: "), "\(run.errors)")
            let report = try #require(try run.objects().first)
            #expect(report["healthy"] as? Bool == false && report["stopped"] as? Bool == false)
            let line = try check("PostgreSQL", of: report)
            #expect(line["state"] as? String == "problem" && "\(line)".contains("another session holds"), "\(line)")
            #expect(states(report)["counters"] == "problem" && states(report)["lanes and tokens"] == "ok", "\(report)")
            #expect(try check("ledger", of: report)["found"] as? String == "not looked at", "\(report)")
        }
        try await standstill.end()
        #expect(try await actions(on: "queue", stack).isEmpty, "nothing is repaired then")
    }

    @Test func `a Redis that forbids the walk ends only what needs Redis`() async throws {
        let redis = try await PrivateRedis.start(["--user", "narrow", "on", ">x", "~*", "&*", "+@all", "-scan"])
        let stack = try await Stack.start(redis: redis)
        let narrow = stack.environment.merging(["CAPTURE_REDIS_URL": "\(redis.url)?user=narrow&password=x"]) { $1 }
        let run = try await CommandLineRun(["doctor", "--json"], environment: narrow)
        #expect(run.exitCode == 70 && run.errors.hasPrefix("capturectl: Redis: "), "\(run.errors)")
        let report = try #require(try run.objects().first)
        let line = try check("Redis", of: report)
        #expect(line["state"] as? String == "problem" && "\(line)".contains("NOPERM"), "\(line)")
        #expect(states(report)["PostgreSQL schema"] == "ok" && states(report)["function library"] == "ok", "\(report)")
        #expect(try check("lanes and tokens", of: report)["found"] as? String == "not looked at", "\(report)")
    }

    @Test func `nothing is repaired where the audit takes no note, and the report says what was found`()
        async throws
    {
        let stack = try await illStack()
        // NOT VALID: what is there stays, and nothing comes.
        try await stack.psql("ALTER TABLE audit ADD CONSTRAINT no_notes CHECK (false) NOT VALID")
        let run = try await CommandLineRun(["doctor", "--fix", "--json"], environment: stack.environment)
        #expect(run.exitCode == 70 && run.errors.hasPrefix("capturectl: PostgreSQL: "), "\(run.errors)")
        let found = states(try #require(try run.objects().first))
        #expect(found["counters"] == "problem" && found["ledger"] == "ok", "\(found)")
        #expect(found["PostgreSQL"] == "problem", "\(found)")
        #expect(try await stack.redis.cli("HGET", "{cq:0}:stats", "dead_bytes") == "999")
    }

    @Test func `a fault when it looks again after a repair leaves the report of the repair`() async throws {
        let stack = try await illStack()
        let note = try await Standstill.begin(in: stack, "LOCK TABLE audit IN SHARE MODE")
        let process = try fixing(stack)
        try await note.untilMet(by: "capturectl")
        let ledger = try await Standstill.begin(in: stack, "LOCK TABLE intake IN ACCESS EXCLUSIVE MODE")
        try await note.end()
        try await ledger.untilMet(by: "capturectl")
        try await ledger.endWaiting("capturectl")
        #expect(try await process.exitCode() == 69, "\(process.output)")
        let found = states(try report(of: process))
        #expect(found["counters"] == "repaired" && found["PostgreSQL"] == "problem", "\(found)")
        #expect(found["ledger"] == "ok", "as it was before the repair: \(found)")
        try await ledger.end()
        #expect(try await actions(on: Self.finding, stack) == ["queue.repair"])
    }

    @Test func `a fault in the middle of a repair leaves a report, and the audit has what was not done as missed`()
        async throws
    {
        let redis = try await PrivateRedis.start(["--user", "narrow", "on", ">x", "~*", "&*", "+@all", "-zrem"])
        let stack = try await illStack(redis: redis)
        try await stack.redis.cli("ZADD", "{cq:0}:dead", "1", "junk")
        let narrow = stack.environment.merging(["CAPTURE_REDIS_URL": "\(redis.url)?user=narrow&password=x"]) { $1 }
        let run = try await CommandLineRun(["doctor", "--fix"], environment: narrow)
        #expect(run.exitCode == 70 && run.errors.hasPrefix("capturectl: Redis: "), "\(run.errors)")
        #expect(run.output.contains("dead letters: 1 × DEAD_ENTRY_WITHOUT_CAPTURE"), "\(run.output)")
        #expect(
            run.output.contains("a fault came between: 0 of 2 repaired, and nobody knows of 1"), "\(run.output)")
        #expect(try await actions(on: Self.finding, stack) == ["queue.repair.missed", "queue.repair"])
        // Its answer is not known: it may be repaired.
        #expect(try await actions(on: "{cq:0}:dead: 1, such as \"junk\"", stack) == ["queue.repair"])
        #expect(try await actions(on: "queue", stack) == ["queue.repair.missed", "queue.repair"])
    }

    @Test func `a stop while it looks leaves what was found until then, and the exit code is 143`() async throws {
        let stack = try await illStack()
        let standstill = try await Standstill.begin(in: stack, "LOCK TABLE intake IN ACCESS EXCLUSIVE MODE")
        let process = try patient(stack, [])
        let object = try await reportOfStopped(process, at: standstill)
        #expect(states(object)["counters"] == "problem" && states(object)["lanes and tokens"] == "ok", "\(object)")
        let statuses = try check("statuses", of: object)
        #expect(statuses["found"] as? String == "not looked at", "\(statuses)")
        #expect(statuses["meaning"] as? String == "it was told to stop", "\(statuses)")
    }

    @Test func `a stop before a repair is told, the audit has it as missed, and the exit code is 143`() async throws {
        let stack = try await illStack()
        let standstill = try await Standstill.begin(in: stack, "LOCK TABLE audit IN SHARE MODE")
        let process = try fixing(stack)
        let object = try await reportOfStopped(process, at: standstill)
        #expect(object["audit_ahead"] as? Bool == false && states(object)["counters"] == "problem", "\(object)")
        #expect(try await stack.redis.cli("HGET", "{cq:0}:stats", "dead_bytes") == "999")
        for subject in ["queue", Self.finding] {
            #expect(try await actions(on: subject, stack) == ["queue.repair.missed", "queue.repair"], "\(subject)")
        }
        let well = try await stack.capturectlJSON("doctor", "--fix")
        #expect(well.exitCode == 0 && states(well.object)["counters"] == "repaired", "\(well.object)")
        #expect(try await actions(on: Self.finding, stack).first == "queue.repair")
    }
}
