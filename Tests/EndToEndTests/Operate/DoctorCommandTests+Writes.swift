import Foundation
import TestSupport
import Testing

/// A server that answers and takes no writes: everybody but the doctor sees it as away.
extension DoctorCommandTests {
    @Test(arguments: [
        (["--orphan-age", "60"], "--orphan-age goes with --fix"), (["--actor", "alice"], "--actor goes with --fix"),
        (["--fix", "--orphan-age", "59"], "--orphan-age takes 60 to 2592000 seconds"),
    ])
    func `an age or an actor without --fix, or no age that may be, is bad usage`(
        flags: [String], words: String
    ) async throws {
        let run = try await CommandLineRun(["doctor"] + flags)
        #expect(run.exitCode == 64 && run.errors.contains(words), "\(run.errors)")
    }

    @Test func `a variable that names the actor of all commands is no bad usage`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_ACTOR": "alice"])
        #expect(try await stack.capturectl("doctor").exitCode == 0)
    }

    @Test(arguments: [
        ("CAPTURE_REDIS_URL", "redis://127.0.0.1:1", "Redis", "PostgreSQL schema"),
        ("CAPTURE_POSTGRES_URL", "postgresql://127.0.0.1:1/none", "PostgreSQL", "lanes and tokens"),
    ])
    func `a server that is away is a problem, and the other one is looked at`(
        variable: String, url: String, away: String, seen: String
    ) async throws {
        let stack = try await Stack.start()
        // The time to connect is waited out.
        let settings = [variable: url, "CAPTURE_REDIS_CONNECT_TIMEOUT": "2s"]
        for flags in [[], ["--fix"]] {
            let run = try await CommandLineRun(
                ["doctor", "--json"] + flags, environment: stack.environment.merging(settings) { $1 })
            #expect(run.exitCode == 69 && run.errors.hasPrefix("capturectl: \(away): "), "\(run.errors)")
            let report = try #require(try run.objects().first)
            #expect(report["healthy"] as? Bool == false)
            #expect(try check(away, of: report)["state"] as? String == "problem")
            #expect(try check(seen, of: report)["state"] as? String == "ok", "\(report)")
            #expect(try check("installation", of: report)["found"] as? String == "not looked at", "\(report)")
        }
    }

    @Test(arguments: [
        ("CAPTURE_REDIS_URL", "redis://127.0.0.1:1"), ("CAPTURE_POSTGRES_URL", "postgresql://127.0.0.1:1/none"),
    ])
    func `while a server is away the bundle directory is looked at`(variable: String, url: String) async throws {
        let scene = try await FilesystemScene.set()
        // The time to connect is waited out.
        let settings = [variable: url, "CAPTURE_REDIS_CONNECT_TIMEOUT": "2s"]
        let away = scene.stack.environment.merging(settings) { $1 }
        let sound = try #require(try await CommandLineRun(["doctor", "--json"], environment: away).objects().first)
        #expect(try check("writes to files", of: sound)["state"] as? String == "ok", "\(sound)")
        #expect(try check("bytes in files", of: sound)["found"] as? String == "not looked at", "\(sound)")
        // As if it were not mounted.
        try FileManager.default.removeItem(at: scene.directory)
        try FileManager.default.createDirectory(at: scene.directory, withIntermediateDirectories: false)
        let ill = try #require(try await CommandLineRun(["doctor", "--json"], environment: away).objects().first)
        let line = try check("bytes in files", of: ill)
        #expect(line["state"] as? String == "problem", "\(ill)")
        #expect((line["found"] as? String)?.contains("not mounted") == true, "\(line)")
        #expect(try scene.folders().isEmpty, "looking makes nothing")
    }

    /// What keeps Redis from writing, and what ends that.
    struct Obstacle: Sendable {
        let begin: String
        let end: String
        let words: String
    }

    private func problems(_ report: [String: Any]) -> [String] {
        states(report).filter { $0.value == "problem" }.map(\.key)
    }

    @Test(arguments: [
        Obstacle(begin: "REPLICAOF 127.0.0.1 1", end: "REPLICAOF NO ONE", words: "a replica of 127.0.0.1:1"),
        Obstacle(
            begin: "CONFIG SET maxmemory 1", end: "CONFIG SET maxmemory 8gb", words: "of its 1 B (maxmemory)"),
        Obstacle(
            begin: "CONFIG SET min-replicas-to-write 1", end: "CONFIG SET min-replicas-to-write 0",
            words: "1 replica in step"),
    ])
    func `a Redis that answers and takes no writes is a problem`(obstacle: Obstacle) async throws {
        let stack = try await Stack.start()
        func tell(_ command: String) async throws {
            let words = command.split(separator: " ").map(String.init)
            let run = try await LeashedProcess.run("redis-cli", stack.redis.cliAddress + words)
            try #require(run.output.hasPrefix("OK"), "\(run.output)")
        }
        try await tell(obstacle.begin)
        let ill = try await stack.capturectlJSON("doctor")
        #expect(ill.exitCode == 1 && problems(ill.object) == ["writes to Redis"], "\(ill.object)")
        let line = try check("writes to Redis", of: ill.object)
        #expect((line["found"] as? String)?.contains(obstacle.words) == true, "\(line)")
        #expect((line["repair"] as? String)?.isEmpty == false, "\(line)")
        try await tell(obstacle.end)
        let well = try await stack.capturectlJSON("doctor")
        #expect(well.exitCode == 0, "\(well.object)")
    }

    /// Known bundles of settled captures may fill it, of which no worker makes an end.
    @Test func `a full Redis is told what to do by what is in it`() async throws {
        let stack = try await Stack.start()
        func line() async throws -> (meaning: String, repair: String) {
            try await stack.redis.cli("CONFIG", "SET", "maxmemory", "1")
            let line = try check("writes to Redis", of: try await stack.capturectlJSON("doctor").object)
            try await stack.redis.cli("CONFIG", "SET", "maxmemory", "8gb")
            return (line["meaning"] as? String ?? "", line["repair"] as? String ?? "")
        }
        let empty = try await line()
        #expect(empty.meaning.contains("nothing waits"), "\(empty)")
        #expect(empty.repair.hasPrefix("raise maxmemory") && empty.repair.contains("CaptureRedisFilling"), "\(empty)")
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            _ = try await crowd.enqueue(rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
        }
        let waiting = try await line()
        #expect(waiting.meaning.contains("workers go on and make some"), "\(waiting)")
        #expect(waiting.repair.hasPrefix("start more workers, or raise maxmemory"), "\(waiting)")
        _ = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
        let dead = try await line()
        #expect(dead.repair.hasPrefix("decide about dead letters, or raise maxmemory"), "\(dead)")
    }

    /// Repairs are noted in the audit first, which it takes none of either.
    @Test func `a PostgreSQL that only reads is a problem, and nothing is repaired beside it`() async throws {
        let stack = try await Stack.start()
        try await stack.redis.cli("HSET", "{cq:0}:stats", "queued", "70")
        let database = "ALTER DATABASE \(stack.databaseName)"
        try await stack.postgres.psql("\(database) SET default_transaction_read_only = on")
        let ill = try await stack.capturectlJSON("doctor")
        #expect(ill.exitCode == 1, "\(ill.object)")
        #expect(Set(problems(ill.object)) == ["counters", "writes to PostgreSQL"], "\(ill.object)")
        let fixed = try await stack.capturectlJSON("doctor", "--fix")
        #expect(fixed.exitCode == 1 && problems(fixed.object).count == 2, "\(fixed.object)")
        #expect(try await stack.redis.cli("HGET", "{cq:0}:stats", "queued") == "70")
        try await stack.postgres.psql("\(database) RESET default_transaction_read_only")
        let well = try await stack.capturectlJSON("doctor", "--fix")
        #expect(well.exitCode == 0 && states(well.object)["counters"] == "repaired", "\(well.object)")
    }
}
