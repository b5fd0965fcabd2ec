import CaptureQueue
import Foundation
import RedisCaptureQueue
import TestSupport
import Testing

/// What a Redis that answers tells of writes that it would refuse, on real servers.
@Suite(.timeLimit(.minutes(2)))
struct WriteRefusalTests {
    private func refusals(_ fixture: QueueFixture) async throws -> [WriteRefusal] {
        try await WriteRefusal.read(from: fixture.client)
    }

    @Test func `a replica names its primary`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            #expect(try await refusals(fixture) == [])
            try await fixture.server.cli("REPLICAOF", "127.0.0.1", "1")
            #expect(try await refusals(fixture) == [.replica(of: "127.0.0.1:1")])
            try await fixture.server.cli("REPLICAOF", "NO", "ONE")
            #expect(try await refusals(fixture) == [])
        }
    }

    @Test func `a server that is full says how full`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
            let full = try await refusals(fixture)
            guard full.count == 1, case .full(let taken, let most) = full[0] else {
                Issue.record("\(full)")
                return
            }
            #expect(taken > 1 && most == 1)
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "8gb")
        }
    }

    @Test(arguments: [(969, 0, false), (970, 0, true), (1_100, 200, false), (1_100, 100, true)])
    func `a 32nd of the memory is to be left, without what Redis does not count`(
        used: Int, notCounted: Int, isFull: Bool
    ) {
        let info = [
            "maxmemory": "1000", "maxmemory_policy": "noeviction", "used_memory": "\(used)",
            "mem_not_counted_for_evict": "\(notCounted)",
        ]
        let full = WriteRefusal.full(taken: used - notCounted, of: 1_000)
        #expect(WriteRefusal.all(info: info, settings: [:]) == (isFull ? [full] : []))
        // A server that evicts is reported by the check of its settings; one without `maxmemory` is never full.
        for (name, value) in [("maxmemory_policy", "allkeys-lru"), ("maxmemory", "0")] {
            #expect(WriteRefusal.all(info: info.merging([name: value]) { $1 }, settings: [:]) == [])
        }
    }

    @Test func `a snapshot that failed matters where writes wait for it`() async throws {
        let server = try await PrivateRedis.start(["--save", "3600", "1"])
        // What cannot be written over.
        let snapshot = server.directory.appending(path: "dump.rdb")
        try FileManager.default.createDirectory(at: snapshot, withIntermediateDirectories: false)
        try await QueueFixture.with(server) { fixture in
            try await server.cli("BGSAVE")
            try await eventually { try await refusals(fixture) == [.snapshotFailed] }
            #expect(try await server.cliReply("SET", "a", "1").contains("MISCONF"))
            try await server.cli("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
            #expect(try await refusals(fixture) == [])
            try await server.cli("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes", "save", "")
            #expect(try await refusals(fixture) == [])
        }
        try await server.stop()
    }

    @Test func `an append-only file that could not be written matters while there is one`() {
        let failed = ["aof_enabled": "1", "aof_last_write_status": "err"]
        #expect(WriteRefusal.all(info: failed, settings: [:]) == [.appendFailed])
        #expect(WriteRefusal.all(info: failed.merging(["aof_enabled": "0"]) { $1 }, settings: [:]) == [])
    }

    @Test func `too few replicas are told of with how many there are`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            try await fixture.server.cli("CONFIG", "SET", "min-replicas-to-write", "2")
            #expect(try await refusals(fixture) == [.replicasMissing(there: 0, needed: 2)])
            try await fixture.server.cli("CONFIG", "SET", "min-replicas-to-write", "0")
            #expect(try await refusals(fixture) == [])
        }
    }

    @Test func `a server that keeps it to itself refuses the question`() async throws {
        try await QueueFixture.withOwnServer(["--rename-command", "INFO", ""]) { fixture async throws in
            await #expect(throws: QueueError(.refused, "")) { _ = try await refusals(fixture) }
            #expect(try await RedisMemory.read(from: fixture.client) == nil)
        }
    }
}
