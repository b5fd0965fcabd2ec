import CaptureModel
import CaptureQueue
import Foundation
import RedisClient
import TestSupport
import Testing

@testable import RedisCaptureQueue

@Suite("A queue belongs to one installation", .timeLimit(.minutes(2)))
struct QueueInstallationTests {
    private let own = InstallationID(UUID())
    private let other = InstallationID(UUID())

    @Test func `the first id is kept, and another one refused until somebody takes it out`() async throws {
        try await QueueFixture.with { fixture in
            let keyspace = fixture.keyspace
            #expect(try await QueueInstallation.field.read(keyspace, on: fixture.client) == nil)
            for _ in 0..<2 { try await QueueInstallation.field.require(own, in: keyspace, on: fixture.client) }
            #expect(try await QueueInstallation.field.read(keyspace, on: fixture.client) == own)
            let fault = await #expect(throws: QueueError.self) {
                try await QueueInstallation.field.require(other, in: keyspace, on: fixture.client)
            }
            #expect(fault?.code == .refused && fault?.isTransient == false)
            for id in [own, other] { #expect(fault?.message.contains("\(id)") == true) }
            #expect(try await QueueInstallation.field.read(keyspace, on: fixture.client) == own)
            try await fixture.redis("HDEL", .string(keyspace[0].limits), "installation")
            try await QueueInstallation.field.require(other, in: keyspace, on: fixture.client)
        }
    }

    @Test func `of several that start at once one is first, and the others are told`() async throws {
        try await QueueFixture.with { fixture in
            let (client, keyspace) = (fixture.client, fixture.keyspace)
            let kept = try await withThrowingTaskGroup(of: InstallationID.self) { group in
                for _ in 0..<16 {
                    let id = InstallationID(UUID())
                    group.addTask { try await QueueInstallation.field.keep(id, in: keyspace, on: client) }
                }
                return try await group.reduce(into: Set<InstallationID>()) { _ = $0.insert($1) }
            }
            #expect(kept.count == 1)
        }
    }

    @Test func `who only compares keeps no id, and is told of another one`() async throws {
        try await QueueFixture.with { fixture in
            let keyspace = fixture.keyspace
            try await QueueInstallation.field.refuseOther(than: own, in: keyspace, on: fixture.client)
            #expect(try await QueueInstallation.field.read(keyspace, on: fixture.client) == nil)
            try await QueueInstallation.field.require(other, in: keyspace, on: fixture.client)
            await #expect(throws: QueueError(.refused, "")) {
                try await QueueInstallation.field.refuseOther(than: own, in: keyspace, on: fixture.client)
            }
        }
    }

    @Test func `a queue without an id is told from one that nobody has used`() async throws {
        try await QueueFixture.with(partitions: 4) { fixture in
            let (client, keyspace) = (fixture.client, fixture.keyspace)
            #expect(try await QueueInstallation.isInUse(keyspace, on: client) == false)
            try await QueuePartitions.require(keyspace, on: client)
            #expect(try await QueueInstallation.isInUse(keyspace, on: client))
            try await fixture.redis("DEL", .string(keyspace[0].limits))
            #expect(try await QueueInstallation.isInUse(keyspace, on: client) == false)
            #expect(try await QueueInstallation.captures(keyspace, on: client) == 0)
            var maker = SubmissionMaker(seed: 1)
            for _ in 0..<3 { try await fixture.upload(maker.submission(of: maker.device())) }
            #expect(try await QueueInstallation.isInUse(keyspace, on: client))
            #expect(try await QueueInstallation.captures(keyspace, on: client) == 3)
        }
    }

    @Test func `the limits that gateways set leave it as it is`() async throws {
        try await QueueFixture.with { fixture in
            try await QueueInstallation.field.require(own, in: fixture.keyspace, on: fixture.client)
            try await fixture.queue().applyLimits()
            #expect(try await QueueInstallation.field.read(fixture.keyspace, on: fixture.client) == own)
        }
    }

    @Test func `what is no id is refused`() async throws {
        try await QueueFixture.with { fixture in
            try await fixture.redis("HSET", .string(fixture.keyspace[0].limits), "installation", "mine")
            await #expect(throws: QueueError(.refused, "")) {
                try await QueueInstallation.field.require(own, in: fixture.keyspace, on: fixture.client)
            }
        }
    }

    @Test func `a full Redis that does not take the installation keeps nobody from starting`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
            try await QueueInstallation.field.require(own, in: fixture.keyspace, on: fixture.client)
            #expect(try await QueueInstallation.field.read(fixture.keyspace, on: fixture.client) == nil)
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "0")
        }
    }
}
