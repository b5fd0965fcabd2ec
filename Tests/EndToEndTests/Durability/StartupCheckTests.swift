import Foundation
import TestSupport
import Testing

@Suite("A program does not start where its level could not be kept", .timeLimit(.minutes(3)))
struct StartupCheckTests {
    /// Settings of Redis, what is configured, and what the message must name.
    struct Wrong: Sendable, CustomTestStringConvertible {
        var redis: [String]
        var level: String
        var words: [String]
        var testDescription: String { "\(level) with \(redis.joined(separator: " "))" }
    }

    @Test(arguments: [
        Wrong(
            redis: ["--appendfsync", "everysec"], level: "fsync",
            words: ["queue.durability is fsync", "appendfsync is everysec", "should be always", "a power cut loses"]),
        Wrong(
            redis: ["--client-output-buffer-limit", "replica 256mb 64mb 60"], level: "replicated",
            words: ["queue.durability is replicated", "client-output-buffer-limit replica", "536870912"]),
        Wrong(
            redis: ["--appendonly", "no"], level: "ledger",
            words: ["queue.durability is ledger", "appendonly is no", "should be yes", "BUNDLE_MISSING"]),
    ])
    func `gateway and worker name what is wrong with Redis`(wrong: Wrong) async throws {
        let redis = try await PrivateRedis.start(wrong.redis)
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_DURABILITY": wrong.level], redis: redis)
        for program in [try stack.launchGateway(), try stack.worker()] {
            #expect(try await program.exitCode() == 1)
            for words in wrong.words { #expect(program.output.contains(words)) }
            #expect(!program.output.contains(" ERROR "), "\(program.output)")
        }
    }

    @Test func `gateway and worker count the partitions that the queue has, and the doctor tells`() async throws {
        let stack = try await Stack.start()
        let first = try stack.worker()
        try await first.line(containing: "worker is ready")
        let other = ["CAPTURE_QUEUE_PARTITIONS": "4"]
        for program in [try stack.launchGateway(other), try stack.worker(other)] {
            #expect(try await program.exitCode() == 1)
            #expect(program.output.contains("queue.partitions is 4, and the queue cq has 1"))
        }
        let doctor = try await LeashedProcess.run(
            Programs.path("capturectl"), ["doctor"], environment: stack.environment.merging(other) { _, new in new })
        #expect(doctor.exitCode == 1 && doctor.output.contains("queue.partitions is 4, the queue has 1"))
        #expect(try await stack.capturectl("doctor").exitCode == 0)
    }

    /// As when the number is changed before the queue is empty, and the kept one taken out.
    @Test func `nobody begins with a number of partitions by which what is in the queue would lie elsewhere`()
        async throws
    {
        let stack = try await Stack.start()
        try await stack.redis.cli("ZADD", "{cq:3}:dead", "1", UUID().uuidString.lowercased())
        let words = "{cq:3} has lanes or dead letters that belong elsewhere"
        for program in [try stack.launchGateway(), try stack.worker()] {
            #expect(try await program.exitCode() == 1)
            #expect(program.output.contains(words), "\(program.output)")
        }
        #expect(try await stack.redis.cli("HGET", "{cq:0}:limits", "partitions").isEmpty)
        let pause = try await stack.capturectl("pause")
        #expect(pause.exitCode == 70 && pause.output.contains(words), "\(pause.output)")
        #expect(try await stack.redis.cli("EXISTS", "{cq:0}:paused").hasPrefix("0"))
        let doctor = try await stack.capturectl("doctor")
        #expect(doctor.exitCode == 1 && doctor.output.contains("the queue is laid out otherwise"), "\(doctor.output)")
        try await stack.redis.cli("DEL", "{cq:3}:dead")
        try await stack.worker().line(containing: "worker is ready")
    }

    /// Nobody restores a queue without a ledger, which would do it as well.
    @Test func `what Redis loses of the layout is there again before a program of another one could bring its own`()
        async throws
    {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway([
            "CAPTURE_QUEUE_DURABILITY": "fsync", "CAPTURE_QUEUE_CAPTURES_MAX": "500",
        ]).process
        func kept(_ field: String) async throws -> String { try await stack.redis.cli("HGET", "{cq:0}:limits", field) }
        try await eventually { try await kept("captures_max") == "500" }
        try await stack.redis.cli("FLUSHALL")
        try await eventually { try await [kept("captures_max"), kept("partitions")] == ["500", "1"] }
        let other = try stack.worker(["CAPTURE_QUEUE_PARTITIONS": "4"])
        #expect(try await other.exitCode() == 1)
        #expect(other.output.contains("queue.partitions is 4, and the queue cq has 1"))
        try await stack.redis.cli("HSET", "{cq:0}:limits", "partitions", "2")
        #expect(try await gateway.exitCode() == 1)
        #expect(gateway.output.contains("the queue has come to have other partitions"), "\(gateway.output)")
    }

    @Test func `a gateway whose port is in use names the settings, and no server that is well`() async throws {
        let stack = try await Stack.start()
        let first = try stack.launchGateway()
        let line = try await first.line(containing: "listening on http://")
        let port = try #require(line.firstMatch(of: /http:[^ ]+:([0-9]+)/)?.1)
        let second = try LeashedProcess(
            Programs.path("capture-gateway"), ["--gateway-port", "\(port)"], environment: stack.environment)
        #expect(try await second.exitCode() == 1)
        let words = ":\(port) (gateway.host, gateway.port): Address already in use"
        #expect(second.output.contains(words), "\(second.output)")
        #expect(!second.output.contains("errno"), "\(second.output)")
        // It never took a request.
        #expect(!second.output.contains("gateway has stopped"), "\(second.output)")
        #expect(!second.output.contains("waiting for"), "\(second.output)")
        try await first.kill()
    }

    @Test(arguments: [["--worker-metrics-host", "192.0.2.1"], ["--worker-metrics-port"]])
    func `a worker that cannot have its address names the settings, and that alone`(flags: [String]) async throws {
        let stack = try await Stack.start()
        let first = try stack.worker()
        let line = try await first.line(containing: "metrics at http://")
        let port = try #require(line.firstMatch(of: /http:[^ ]+:([0-9]+)/)?.1)
        let second = try LeashedProcess(
            Programs.path("capture-worker"), flags.count == 1 ? flags + ["\(port)"] : flags,
            environment: stack.environment)
        #expect(try await second.exitCode() == 1)
        let words = "cannot listen on \(flags.count == 1 ? "127.0.0.1:\(port)" : "192.0.2.1:")"
        #expect(second.output.contains(words), "\(second.output)")
        #expect(second.output.contains("(worker.metricsHost, worker.metricsPort): "), "\(second.output)")
        #expect(!second.output.contains(" ERROR "), "\(second.output)")
        try await first.expectStop()
    }

    @Test func `gateway and worker say who is ready and that they stop, and a gateway when it has`() async throws {
        let stack = try await Stack.start()
        let (gateway, worker) = (try stack.launchGateway(), try stack.worker())
        let ready = try await gateway.line(containing: "gateway is ready")
        #expect(ready.contains(/version=[0-9.]+/), "\(ready)")
        let named = try await worker.line(containing: "worker is ready")
        #expect(named.contains(/worker=worker-.+-[0-9a-f]{8}$/), "\(named)")
        for (program, name) in [(gateway, "gateway"), (worker, "worker")] {
            #expect(!program.output.contains("is stopping"))
            try await program.expectStop()
            #expect(program.output.ranges(of: "\(name) is stopping").count == 1, "\(program.output)")
        }
        #expect(gateway.output.split(separator: "\n").last?.contains("gateway has stopped") == true)
    }

    @Test func `gateway and worker name what is wrong with PostgreSQL`() async throws {
        let stack = try await Stack.start()
        let url = stack.database + " options='-c synchronous_commit=off'"
        for program in [
            try stack.launchGateway(["CAPTURE_POSTGRES_URL": url]),
            try stack.worker(["CAPTURE_POSTGRES_URL": url]),
        ] {
            #expect(try await program.exitCode() == 1)
            #expect(program.output.contains("PostgreSQL's synchronous_commit is off and should be on"))
        }
    }

    @Test func `at relaxed a program warns once, and all that it consists of starts`() async throws {
        // With files there are two that wait for the check: the worker itself, and who sweeps the directory.
        let files = try await FilesystemScene.set(redis: ["--appendfsync", "everysec"])
        let worker = try files.stack.worker(["CAPTURE_QUEUE_DURABILITY": "relaxed"])
        let warning = "appendfsync is everysec and should be always"
        try await worker.line(containing: warning)
        try await worker.line(containing: "worker is ready")
        try await worker.expectStop()
        #expect(worker.output.split(separator: "\n").count { $0.contains(warning) } == 1)
    }

    /// The gateway looks at PostgreSQL first and at Redis then, and writes the queue's limits to Redis after both.
    @Test func `a Redis that goes away while the gateway starts is waited for`() async throws {
        let postgres = try await PrivatePostgres.start()
        let stack = try await Stack.start(settings: ["CAPTURE_GATEWAY_SERVER_TIMEOUT": "1s"], postgres: postgres)
        try await postgres.stop()
        let gateway = try stack.launchGateway(["CAPTURE_QUEUE_CAPTURES_MAX": "1234"])
        try await gateway.line(containing: "waiting for PostgreSQL")
        try await stack.redis.kill()
        try await postgres.restart()
        try await gateway.line(containing: "waiting for Redis")
        try await stack.redis.restart()
        try await eventually { try await stack.redis.cli("HGET", "{cq:0}:limits", "captures_max") == "1234" }
        try await gateway.expectStop()
    }

    @Test func `a gateway whose bundle directory is not there is ready once it is`() async throws {
        let files = try await FilesystemScene.set()
        let away = files.directory.appendingPathExtension("away")
        try FileManager.default.moveItem(at: files.directory, to: away)
        let gateway = try files.stack.launchGateway()
        try await gateway.line(containing: "bundles is away; waiting for it")
        let scrape = try await Scrape(gateway, "listening on ")
        let waiting = try await scrape.text("/readyz")
        #expect(waiting.status == 503 && waiting.body.contains(#""status":"starting""#))
        #expect(waiting.body.contains(#""bundles":"down""#))
        let bundles = ("capture_dependency_up", ["dependency": "bundles"])
        #expect(try await scrape.exposition().value(bundles.0, bundles.1) == "0")
        #expect(try await scrape.text("/healthz").status == 200)
        try FileManager.default.moveItem(at: away, to: files.directory)
        try await eventually { try await scrape.text("/readyz").status == 200 }
        try await eventually { try await scrape.exposition().value(bundles.0, bundles.1) == "1" }
        try await gateway.expectStop()
    }

    @Test func `with the ledger and the bytes in files Redis may keep nothing`() async throws {
        let files = try await FilesystemScene.set(redis: ["--appendonly", "no"])
        let worker = try files.stack.worker()
        try await worker.line(containing: "worker is ready")
        try await worker.expectStop()
    }
}
