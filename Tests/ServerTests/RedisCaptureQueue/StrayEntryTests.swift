import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// By its own keys a partition cannot tell them from captures that have lost their jobs.
@Suite("Captures of another partition in a lane", .timeLimit(.minutes(2)))
struct StrayEntryTests {
    /// Two devices or more of each of two partitions.
    private func devices(of fixture: QueueFixture, _ maker: inout SubmissionMaker) -> [[DeviceID]] {
        var devices: [[DeviceID]] = [[], []]
        while devices.contains(where: { $0.count < 2 }) {
            let device = maker.device()
            devices[fixture.keyspace.partition(of: device).number].append(device)
        }
        return devices
    }

    /// Of its own keys none knows such a capture: it became a dead letter there, beside the one that waits.
    @Test func `captures of another partition are taken out of a lane, and stay where they are known`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 63)
            let devices = devices(of: fixture, &maker)
            let (settled, own) = (maker.submission(of: devices[0][0]), maker.submission(of: devices[0][1]))
            let (other, lost) = (maker.submission(of: devices[1][0]), maker.submission(of: devices[1][1]))
            let queue = fixture.queue()
            try await fixture.upload(settled)
            _ = try await queue.settle([try await queue.claimOne().settling()])
            for capture in [own, other] { try await fixture.upload(capture) }
            let lane = RedisArgument.string(fixture.keyspace[1].lane(other.device))
            try await fixture.redis("LPUSH", lane, .string("\(own.id)"))
            try await fixture.redis("RPUSH", lane, .string("\(settled.id)"), .string("\(lost.id)"))

            let doctor = QueueDoctor(queue: queue)
            let found = try await doctor.examine().findings
            let strays = [own.id, settled.id].map { "laneEntryOfOtherPartition \($0)" }
            #expect(Set(found.map { "\($0.fault) \($0.subject)" }) == Set(strays + ["laneEntryWithoutJob \(lost.id)"]))
            #expect(Set(try await doctor.mend(found)) == Set(found))
            #expect(try await fixture.redis("LRANGE", lane, 0, -1).array?.compactMap(\.string) == ["\(other.id)"])
            #expect(try await doctor.recount(try await doctor.examine()))
            let after = try await doctor.examine()
            #expect(after.findings == [] && after.waiting == [own.id, other.id] && after.failed == [lost.id])
        }
    }

    /// They may be the only ones: without the entry they would be bytes of nothing, which expire.
    @Test func `a capture of another partition that has bytes here becomes a dead letter, which keeps them`()
        async throws
    {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 64)
            let devices = devices(of: fixture, &maker)
            let (own, other) = (maker.submission(of: devices[0][0]), maker.submission(of: devices[1][0]))
            for capture in [own, other] { try await fixture.upload(capture) }
            let keys = fixture.keyspace[1]
            try await fixture.redis("RPUSH", .string(keys.lane(other.device)), .string("\(own.id)"))
            try await fixture.redis("SET", .string(keys.photo(own.id)), "photo")

            let doctor = QueueDoctor(queue: fixture.queue())
            let found = try await doctor.examine().findings
            #expect(found.map { "\($0.fault) \($0.subject)" } == ["laneEntryWithoutJob \(own.id)"])
            #expect(try await doctor.mend(found) == found)
            #expect(try await fixture.redis("PTTL", .string(keys.photo(own.id))).int == -1)
            let after = try await doctor.examine()
            #expect(after.waiting == [own.id, other.id] && after.failed == [own.id])
        }
    }

    /// A worker that gave it up would make a dead letter of a capture that waits, or is settled, elsewhere.
    @Test func `a lane with a capture of another partition at its head waits for the doctor, with an alarm`()
        async throws
    {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 65)
            let devices = devices(of: fixture, &maker)
            let (own, other) = (maker.submission(of: devices[0][0]), maker.submission(of: devices[1][0]))
            for capture in [own, other] { try await fixture.upload(capture) }
            try await QueuePartitions.require(fixture.keyspace, on: fixture.client)
            let lane = RedisArgument.string(fixture.keyspace[1].lane(other.device))
            try await fixture.redis("LPUSH", lane, .string("\(own.id)"))

            let recorder = LogRecorder()
            let queue = fixture.queue(logger: recorder.logger)
            let lease = try await queue.claimOne()
            #expect(lease.ids == [own.id])
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            // Its minute is over, and nobody has taken the capture out.
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            #expect(try await queue.claimNow().isEmpty)
            let alarm = "a lane has a capture of another partition at its head and is put off for a minute"
            #expect(recorder.lines.count { $0.contains(alarm) } == 2)
            let fault = "LANE_ENTRY_OF_OTHER_PARTITION \(own.id)"
            #expect(recorder.values(of: "fault") == [fault, fault])

            let doctor = QueueDoctor(queue: queue)
            let examination = try await doctor.examine()
            let found = examination.findings
            #expect(found.map { "\($0.fault) \($0.subject)" } == ["laneEntryOfOtherPartition \(own.id)"])
            #expect(examination.failed == [])
            #expect(try await doctor.mend(found) == found)
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            #expect(try await queue.claimOne().ids == [other.id])
        }
    }

    /// The answer about a lane that is put off has no room for them.
    @Test func `entries that are no capture's id before a capture of another partition are told`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 68)
            let devices = devices(of: fixture, &maker)
            let (own, other) = (maker.submission(of: devices[0][0]), maker.submission(of: devices[1][0]))
            for capture in [own, other] { try await fixture.upload(capture) }
            try await QueuePartitions.require(fixture.keyspace, on: fixture.client)
            let recorder = LogRecorder()
            let queue = fixture.queue(logger: recorder.logger)
            let lane = RedisArgument.string(fixture.keyspace[1].lane(other.device))
            try await fixture.redis("LPUSH", lane, .string("\(own.id)"), "ever", "what")
            let leases = try await queue.claimNow()
            #expect(leases.map(\.ids) == [[own.id]])
            #expect(recorder.values(of: "entry") == ["what", "ever"] && recorder.values(of: "fault") == [])
            #expect(try await queue.settle(leases.map { $0.settling() }) == [.settled])
            #expect(try await queue.claimNow().isEmpty)
            #expect(recorder.values(of: "fault") == ["LANE_ENTRY_OF_OTHER_PARTITION \(own.id)"])
            #expect(try await queue.load().delayedLanes == 1)
        }
    }

    @Test func `a capture of another partition behind those of a lane does not keep them from being worked`()
        async throws
    {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 66)
            let devices = devices(of: fixture, &maker)
            let (own, other) = (maker.submission(of: devices[0][0]), maker.submission(of: devices[1][0]))
            for capture in [own, other] { try await fixture.upload(capture) }
            try await QueuePartitions.require(fixture.keyspace, on: fixture.client)
            let lane = RedisArgument.string(fixture.keyspace[1].lane(other.device))
            try await fixture.redis("RPUSH", lane, .string("\(own.id)"))
            let queue = fixture.queue()
            let leases = try await queue.claimNow()
            #expect(Set(leases.flatMap(\.ids)) == [own.id, other.id] && leases.allSatisfy { $0.ids.count == 1 })
            let settled = try await queue.settle(leases.map { $0.settling() })
            #expect(settled == [.settled, .settled])
            #expect(try await queue.claimNow().isEmpty)
            #expect(try await fixture.redis("LRANGE", lane, 0, -1).array?.compactMap(\.string) == ["\(own.id)"])
        }
    }

    /// A worker may have given it up between the doctor's look and its call.
    @Test func `a capture of another partition stays in a lane once a key here is its own`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 67)
            let devices = devices(of: fixture, &maker)
            let own = maker.submission(of: devices[0][0])
            try await fixture.upload(own)
            let (here, there) = (fixture.keyspace[1], fixture.keyspace[0])
            let (device, id) = (RedisArgument.string("\(devices[1][0])"), RedisArgument.string("\(own.id)"))
            try await fixture.redis("RPUSH", .string(here.lane(devices[1][0])), id)
            func mend() async throws -> Int? {
                try await fixture.redis(
                    "FCALL", "capture_mend_stray_entry_v1", 2, .string(here.ready), .string(there.ready), device, id
                ).int
            }
            for key in [here.job(own.id), here.settled(own.id), here.photo(own.id), here.depth(own.id)] {
                try await fixture.redis("SET", .string(key), "x")
                #expect(try await mend() == 0)
                try await fixture.redis("DEL", .string(key))
            }
            #expect(try await mend() == 1)
            #expect(try await mend() == 0, "there is none any more")
        }
    }

    /// With the delay left, the next capture of the device would give the lane a second token.
    @Test func `a lane that the mending empties is not put off any more`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 69)
            let devices = devices(of: fixture, &maker)
            let (own, next) = (maker.submission(of: devices[0][0]), maker.submission(of: devices[1][0]))
            // So the stream is there: whoever makes it anew ends the delay.
            for capture in [own, maker.submission(of: devices[1][1])] { try await fixture.upload(capture) }
            let (keys, device) = (fixture.keyspace[1], RedisArgument.string("\(next.device)"))
            try await fixture.redis("RPUSH", .string(keys.lane(next.device)), .string("\(own.id)"))
            try await fixture.redis("ZADD", .string(keys.delayed), 1, device)
            let doctor = QueueDoctor(queue: fixture.queue())
            let strays = try await doctor.examine().findings.filter { $0.fault == .laneEntryOfOtherPartition }
            #expect(try await doctor.mend(strays) == strays && strays.count == 1)
            try await fixture.upload(next)
            #expect(try await doctor.examine().findings == [])
        }
    }
}
