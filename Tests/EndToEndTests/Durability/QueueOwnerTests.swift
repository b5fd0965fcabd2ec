import Foundation
import GatewayClient
import TestSupport
import Testing

@Suite("Redis is one installation's, and no other's", .timeLimit(.minutes(5)))
struct QueueOwnerTests {
    @Test func `a Redis that was flushed is the same installation's again, and no other's`() async throws {
        let stack = try await Stack.start()
        let other = try await Stack.start()
        let id = try await stack.installation()
        #expect(try await stack.redis.installation() == id, "from the migration on")
        let worker = try stack.worker()
        try await worker.line(containing: "worker is ready")
        try await stack.redis.cli("FLUSHALL")
        try await eventually { try await stack.redis.installation() == id }
        let stranger = try stack.worker(["CAPTURE_POSTGRES_URL": other.database])
        #expect(try await stranger.exitCode() == 1)
        try await worker.expectStop()

        try await stack.redis.cli("FLUSHALL")
        let restarted = try stack.worker()
        try await restarted.line(containing: "worker is ready")
        #expect(try await stack.redis.installation() == id)
        try await restarted.expectStop()
    }

    @Test func `programs that are refused note nothing in another's queue`() async throws {
        let (stack, other) = (try await Stack.start(), try await Stack.start())
        let settings = ["CAPTURE_POSTGRES_URL": other.database]
        for program in [try stack.launchGateway(settings), try stack.worker(settings)] {
            #expect(try await program.exitCode() == 1)
        }
        let fields = try await stack.redis.cli("HKEYS", "{cq:0}:limits")
        #expect(fields.trimmingCharacters(in: .whitespacesAndNewlines) == "installation")
    }

    @Test func `nothing is done to a Redis that is tied to nobody, until it is migrated`() async throws {
        let stack = try await Stack.start()
        let empty = try await PrivateRedis.start()
        let settings = ["CAPTURE_REDIS_URL": empty.url]
        for command in [["pause"], ["resume"], ["dead", "redrive", "--all", "--yes"]] {
            let run = try await stack.capturectl(command, with: settings)
            #expect(run.exitCode == 69 && run.output.contains("tied to no installation"), "\(run.output)")
        }
        #expect(try await empty.cli("FUNCTION", "LIST").isEmpty)
        #expect(try await empty.cli("KEYS", "*").isEmpty)
        #expect(try await stack.capturectl(["migrate"], with: settings).exitCode == 0)
        let pause = try await stack.capturectl(["pause"], with: settings)
        #expect(pause.exitCode == 0 && pause.output.contains("Redis at "), "\(pause.output)")
    }

    @Test func `programs end when Redis comes to be another's, and not for what else it refuses`() async throws {
        let stack = try await Stack.start()
        let programs = [try await stack.gateway().process, try stack.worker()]
        try await programs[1].line(containing: "worker is ready")
        let alarm = "Redis has come to belong to another installation"
        try await stack.redis.cli("HSET", "{cq:0}:limits", "installation", "mine")
        for program in programs {
            try await program.line(containing: "Redis cannot be asked whose it is")
            #expect(!program.output.contains(alarm), "\(program.output)")
        }
        try await stack.redis.cli("HSET", "{cq:0}:limits", "installation", UUID().uuidString.lowercased())
        for program in programs {
            #expect(try await program.exitCode() == 1)
            #expect(program.output.contains(alarm), "\(program.output)")
            #expect(program.output.split(separator: "\n").count { $0.contains("cannot be asked whose") } == 1)
        }
    }

    @Test func `a worker whose Redis comes to be another's claims nothing there before it ends`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let worker = try stack.worker()
        try await worker.line(containing: "worker is ready")
        #expect(try await stack.capturectl("pause").exitCode == 0)
        let id = try await phone.upload(try phone.shoot(seed: 1))
        try await gateway.kill()
        // In one step: the worker looks for captures more often than for the id.
        try await stack.redis.cli(
            "EVAL", "redis.call('HSET', KEYS[1], 'installation', ARGV[1]) redis.call('DEL', KEYS[2])", "2",
            "{cq:0}:limits", "{cq:0}:paused", UUID().uuidString.lowercased())
        #expect(try await worker.exitCode() == 1)
        #expect(worker.output.contains("Redis has come to belong to another installation"), "\(worker.output)")
        let state = try await stack.redis.cli("HGET", "{cq:0}:job:\(id)", "state")
        #expect(state.trimmingCharacters(in: .whitespacesAndNewlines) == "queued")
    }

    @Test func `a queue from before the id is no copy's, and whoever ties it is told what it holds`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        _ = try await phone.upload(try phone.shoot(seed: 1))
        try await gateway.kill()
        let id = try await stack.installation()
        try await stack.redis.cli("HDEL", "{cq:0}:limits", "installation")
        for field in ["partitions", "nothing"] {
            let copy = try await stack.capturectl("migrate", "--new-installation")
            #expect(copy.exitCode == 70 && copy.output.contains("an empty Redis of its own"), "\(copy.output)")
            #expect(try await stack.installation() == id)
            #expect(try await stack.redis.installation().isEmpty)
            // The counters tell it as well.
            try await stack.redis.cli("HDEL", "{cq:0}:limits", field)
        }
        let tied = try await stack.capturectl("migrate")
        #expect(tied.exitCode == 0 && tied.output.contains("holds 1 capture,"), "\(tied.output)")
        #expect(try await stack.redis.installation() == id)
        let again = try await stack.capturectl("migrate")
        #expect(again.exitCode == 0 && !again.output.contains("holds"), "\(again.output)")
    }

    @Test func `while the record does not answer nothing is done to the queue, and who only looks goes on at once`()
        async throws
    {
        let postgres = try await PrivatePostgres.start()
        let stack = try await Stack.start(
            settings: ["CAPTURE_QUEUE_PARTITIONS": "4", "CAPTURE_POSTGRES_CONNECT_TIMEOUT": "60s"], postgres: postgres)
        // A server that takes connections and says nothing.
        try await postgres.signalAll(SIGSTOP)
        let start = ContinuousClock.now
        let list = try await stack.capturectl("dead", "list")
        #expect(list.exitCode == 0, "\(list.output)")
        #expect(start.duration(to: .now) < .seconds(60), "it waited for PostgreSQL")
        try await postgres.kill()
        // Begun before: the audit has it, so that nothing else would ask PostgreSQL.
        try await stack.redis.cli("SET", "{cq:2}:paused", "1")
        let pause = try await stack.capturectl("pause")
        #expect(pause.exitCode == 69 && pause.output.contains("does not say whose it is"), "\(pause.output)")
        #expect(try await stack.redis.cli("EXISTS", "{cq:0}:paused").hasPrefix("0"))
        try await postgres.restart()
        #expect(try await stack.capturectl("pause").exitCode == 0)
        #expect(try await stack.redis.cli("EXISTS", "{cq:0}:paused").hasPrefix("1"))
    }
}
