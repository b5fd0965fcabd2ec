import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Whatever is too many in a lane would be worked, or counted as settled, once more.
@Suite("Entries that are too many in a lane", .timeLimit(.minutes(2)))
struct ExtraEntryTests {
    /// What somebody pushes into a lane.
    enum Push: CaseIterable, Sendable {
        case ownCapture, capturesOfOthers, junk

        var fault: QueueFault { self == .junk ? .laneEntryWithoutCapture : .laneEntryExtra }

        func push(_ ward: QueueWard) async throws {
            let lane = RedisArgument.string(ward.keys.lane(ward.waiting[0].device))
            switch self {
            case .ownCapture: try await ward.redis("RPUSH", lane, .string("\(ward.waiting[1].id)"))
            case .capturesOfOthers:
                try await ward.redis("RPUSH", lane, .string("\(ward.delayed.id)"), .string("\(ward.held[1].id)"))
            case .junk: try await ward.redis("RPUSH", lane, "junk", .bytes([0xFF, 0]), "junk")
            }
        }
    }

    /// The lanes, and what is noted and counted of them.
    private func state(_ ward: QueueWard) async throws -> [RedisValue] {
        var state: [RedisValue] = []
        for capture in [ward.waiting[0], ward.held[0], ward.delayed] {
            state.append(try await ward.fixture.redis("LRANGE", .string(ward.keys.lane(capture.device)), 0, -1))
        }
        state.append(try await ward.fixture.redis("HGETALL", .string(ward.keys.laneBytes)))
        state.append(try await ward.fixture.redis("ZRANGE", .string(ward.keys.heads), 0, -1, "WITHSCORES"))
        state.append(try await ward.fixture.redis("HGETALL", .string(ward.keys.stats)))
        return state
    }

    @Test(arguments: Push.allCases)
    func `what somebody has pushed into a lane is taken out, and nothing else is changed`(push: Push) async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            let before = try await state(ward)
            try await push.push(ward)
            let doctor = QueueDoctor(queue: fixture.queue())
            let found = try await doctor.examine().findings
            #expect(Set(found.map(\.fault)) == [push.fault])
            let mended = try await doctor.mend(found)
            #expect(Set(mended) == Set(found))
            #expect(try await doctor.recount(try await doctor.examine()))
            #expect(try await state(ward) == before)
            #expect(try await doctor.examine().findings == [])
        }
    }

    @Test func `a capture that is twice in its lane and in another's lane is taken out of both`() async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            let before = try await state(ward)
            let capture = RedisArgument.string("\(ward.waiting[1].id)")
            for device in [ward.waiting[1].device, ward.delayed.device] {
                try await ward.redis("RPUSH", .string(ward.keys.lane(device)), capture, capture)
            }
            let doctor = QueueDoctor(queue: fixture.queue())
            // One finding names the capture: the second mending takes out what the first has left.
            for _ in 0..<2 { _ = try await doctor.mend(try await doctor.examine().findings) }
            #expect(try await state(ward) == before)
        }
    }

    /// Its job names the other device from then on, and a worker still verifies it when it comes to its own lane.
    @Test func `a capture that was given up in another device's lane stays in its own`() async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            let (other, own) = (ward.strangers.device, RedisArgument.string(ward.keys.lane(ward.waiting[1].device)))
            let before = try await fixture.redis("LRANGE", own, 0, -1)
            try await ward.redis("RPUSH", .string(ward.keys.lane(other)), .string("\(ward.waiting[1].id)"))
            try await ward.redis("XADD", .string(ward.keys.ready), "*", "device", .string("\(other)"))
            let queue = fixture.queue("other")
            for lease in try await queue.claimNow() {
                let given = lease.device == other ? lease.burying() : lease.settling(0, .handedBack)
                _ = try await queue.settle([given])
            }
            let job = RedisArgument.string(ward.keys.job(ward.waiting[1].id))
            try #require(try await fixture.redis("HGET", job, "device").string == "\(other)")
            let doctor = QueueDoctor(queue: fixture.queue())
            let found = try await doctor.examine().findings
            #expect(found == [])
            _ = try await doctor.mend(found)
            #expect(try await fixture.redis("LRANGE", own, 0, -1) == before)
        }
    }

    /// Each removal goes through what is behind its entry: a thousand at once would hold up others.
    @Test func `pages of entries that are no captures are taken out of a lane, behind and before its captures`()
        async throws
    {
        try await QueueFixture.with(backlogMax: 100) { fixture in
            let ward = try await QueueWard(fixture)
            let before = try await state(ward)
            let lane = ward.keys.lane(ward.waiting[0].device)
            for command in ["RPUSH", "LPUSH"] {
                for first in stride(from: 0, to: 1_500, by: 500) {
                    let entries = (first..<first + 500).map { RedisArgument.string("junk \($0)") }
                    _ = try await fixture.client.send(RedisCommand(command, [.string(lane)] + entries))
                }
            }
            let doctor = QueueDoctor(queue: fixture.queue())
            let found = try await doctor.examine().findings
            #expect(found.map(\.subject) == ["\(lane): 3000, such as \"junk 500\""])
            #expect(try await doctor.mend(found) == found)
            #expect(try await state(ward) == before)
        }
    }
}
