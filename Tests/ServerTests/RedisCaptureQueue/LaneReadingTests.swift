import CaptureModel
import CaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import RedisCaptureQueue

/// To add up a long lane's bytes in one step holds Redis up: that is done only where the count is wrong.
@Suite("The doctor's reading of a lane", .timeLimit(.minutes(2)))
struct LaneReadingTests {
    @Test func `the doctor compares the count of bytes where the lane is still, and not while captures come or go`()
        async throws
    {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 60)
            let (device, keys, queue) = (maker.device(), fixture.keyspace[0], fixture.queue())
            for _ in 0..<3 { try await fixture.upload(maker.submission(of: device)) }
            let later = maker.submission(of: device)
            let doctor = QueueDoctor(queue: queue)
            #expect(try await doctor.readLane(device, keys) { _ in } == .right)
            #expect(try await Self.read(device, keys, by: doctor) { try await fixture.upload(later) } == .undecided)
            let lease = try await queue.claimOne(captures: 1)
            let going = try await Self.read(device, keys, by: doctor) { try await queue.settle([lease.settling()]) }
            #expect(going == .undecided)
            #expect(try await doctor.readLane(device, keys) { _ in } == .right)
            try await fixture.redis("HINCRBY", .string(keys.laneBytes), .string("\(device)"), 7)
            #expect(try await doctor.readLane(device, keys) { _ in } == .wrong)
        }
    }

    /// A worker that came to it in another device's lane gave it up, and wrote that device into its job.
    @Test(arguments: [1, QueueDoctor.questionsMax + 1])
    func `what was submitted for the device of a lane counts in it, whatever device its job names`(
        others: Int
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 63)
            let (device, stranger, keys) = (maker.device(), maker.device(), fixture.keyspace[0])
            let captures = (0...others).map { _ in maker.submission(of: device) }
            for capture in captures { try await fixture.upload(capture) }
            for capture in captures.dropFirst() {
                try await fixture.redis("HSET", .string(keys.job(capture.id)), "device", .string("\(stranger)"))
            }
            let doctor = QueueDoctor(queue: fixture.queue())
            #expect(try await doctor.readLane(device, keys) { _ in } == .right)
            // Its own captures' bytes alone.
            let own = captures[0].photoBytes + captures[0].depthBytes
            try await fixture.redis("HSET", .string(keys.laneBytes), .string("\(device)"), .integer(own))
            #expect(try await doctor.readLane(device, keys) { _ in } == .wrong)
            let findings = try await doctor.examine().findings
            #expect(findings.contains { $0.fault == .levelWrong && $0.hint == "\(device)" }, "\(findings)")
        }
    }

    @Test func `what was submitted for another device does not count in a lane`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 64)
            let (device, keys) = (maker.device(), fixture.keyspace[0])
            let stranger = maker.submission(of: maker.device())
            for capture in [maker.submission(of: device), stranger] { try await fixture.upload(capture) }
            try await fixture.redis("RPUSH", .string(keys.lane(device)), .string("\(stranger.id)"))
            let doctor = QueueDoctor(queue: fixture.queue())
            #expect(try await doctor.readLane(device, keys) { _ in } == .right)
        }
    }

    /// Reads a lane that changes once its captures were read.
    private static func read<Outcome: Sendable>(
        _ device: DeviceID, _ keys: PartitionKeys, by doctor: QueueDoctor,
        _ change: @escaping @Sendable () async throws -> Outcome
    ) async throws -> LaneCount {
        var outcome: Result<Outcome, any Error>?
        let count = try await doctor.readLane(device, keys) { _ in
            do { outcome = .success(try await change()) } catch { outcome = .failure(error) }
        }
        _ = try outcome?.get()
        return count
    }

    @Test(arguments: [1_000, 1_001])
    func `the doctor reads every page of a lane`(length: Int) async throws {
        try await QueueFixture.withOwnServer(["--appendfsync", "no"]) { fixture in
            var maker = SubmissionMaker(seed: 61)
            let (device, keys) = (maker.device(), fixture.keyspace[0])
            let captures = (0..<length).map { _ in maker.submission(of: device) }
            for capture in captures { try await fixture.upload(capture) }
            var met: Set<CaptureID> = []
            let count = try await QueueDoctor(queue: fixture.queue()).readLane(device, keys) { met.formUnion($0) }
            #expect(count == .right && met == Set(captures.map(\.id)))
        }
    }

    @Test func `the doctor's reading of a lane is one step only where the count is wrong`() async throws {
        // Its own server, which notes every command.
        let server = try await PrivateRedis.start([
            "--appendfsync", "no", "--slowlog-log-slower-than", "0", "--slowlog-max-len", "100000",
        ])
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: 62)
            let (devices, keys) = ((0..<60).map { _ in maker.device() }, fixture.keyspace[0])
            for device in devices { try await fixture.upload(maker.submission(of: device)) }
            let wrong = Set(devices.prefix(3).map(\.description))
            for device in wrong { try await fixture.redis("HINCRBY", .string(keys.laneBytes), .string(device), 1) }
            let examination = try await QueueDoctor(queue: fixture.queue()).examine()
            #expect(examination.findings.map(\.fault) == [.levelWrong, .levelWrong, .levelWrong])
            #expect(examination.countersCompared)
            let commands = try await fixture.redis("SLOWLOG", "GET", -1).array ?? []
            let asked = commands.compactMap { $0.array?.dropFirst(3).first?.array?.map { $0.string ?? "" } }
                .filter { $0.dropFirst().first == "capture_examine_lane_bytes_v1" }.compactMap(\.last)
            #expect(asked.count == 3 && Set(asked) == wrong, "\(asked)")
        }
        try await server.stop()
    }
}
