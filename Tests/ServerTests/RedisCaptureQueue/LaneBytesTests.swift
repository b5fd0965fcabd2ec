import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The bytes that are counted of each lane, by which a device that floods is refused.
@Suite("The bytes of a lane", .timeLimit(.minutes(2)))
struct LaneBytesTests {
    /// What is counted of a device's lane; `nil` when nothing is.
    private func counted(_ device: DeviceID, _ fixture: QueueFixture) async throws -> Int? {
        let keys = fixture.keyspace.partition(of: device)
        return try await fixture.redis("HGET", .string(keys.laneBytes), .string("\(device)")).int
    }

    /// Uploads captures of one device, of so many bytes.
    private func upload(
        _ sizes: [Int], of device: DeviceID, _ maker: inout SubmissionMaker, to fixture: QueueFixture,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [CaptureSubmission] {
        let captures = sizes.map { maker.submission(of: device, photoBytes: $0 - 1, depthBytes: 1) }
        for capture in captures {
            #expect(try await fixture.upload(capture) == .accepted, sourceLocation: sourceLocation)
        }
        return captures
    }

    @Test(arguments: [1, 4])
    func `the bytes of a lane follow what is settled, buried, put back and discarded`(partitions: Int) async throws {
        try await QueueFixture.with(partitions: partitions) { fixture in
            var maker = SubmissionMaker(seed: 90)
            let (device, queue) = (maker.device(), fixture.queue())
            let captures = try await upload([10, 20, 30, 40], of: device, &maker, to: fixture)
            #expect(try await counted(device, fixture) == 100)
            let first = try await queue.claimOne(captures: 3)
            #expect(try await counted(device, fixture) == 100, "in a worker's hands")
            _ = try await queue.settle([
                LaneSettlement(
                    token: first.token, device: device,
                    items: [
                        .init(id: captures[0].id, disposition: .dead(.internal, fault: "test")),
                        .init(id: captures[1].id, disposition: .settled(.verified)),
                    ], continuation: .delayed(.zero, fault: "test"))
            ])
            #expect(try await counted(device, fixture) == 70)
            #expect(try await queue.redrive(captures[0].id))
            #expect(try await counted(device, fixture) == 80)
            _ = try await queue.promote()
            while let lease = try await queue.claimNow().first { _ = try await queue.settle([lease.burying()]) }
            #expect(try await counted(device, fixture) == nil, "of an empty lane nothing is left")
            #expect(try await queue.discardLetter(of: captures[3].id))
            #expect(try await counted(device, fixture) == nil, "it had left its lane before")
            #expect(try await queue.redrive(captures[2].id))
            #expect(try await counted(device, fixture) == 30)
        }
    }

    @Test func `the bytes of a lane follow a capture that took its workers down`() async throws {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.deliveriesMax = 1
        try await QueueFixture.with(configuration: configuration) { fixture in
            var maker = SubmissionMaker(seed: 91)
            let device = maker.device()
            _ = try await upload([10, 20], of: device, &maker, to: fixture)
            for left in [20, nil] {
                _ = try await fixture.queue("lost").claimOne(captures: 1)
                try await fixture.passTime()
                #expect(try await fixture.queue().takeOver() == nil)
                #expect(try await counted(device, fixture) == left)
            }
        }
    }

    @Test func `the bytes of a lane are there again with what is put back from the ledger, beyond the limit`()
        async throws
    {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.bytesPerDeviceMax = 40
        try await QueueFixture.with(configuration: configuration) { fixture in
            var maker = SubmissionMaker(seed: 92)
            let (device, queue) = (maker.device(), fixture.queue())
            let mark = RestorationMark.make(using: &maker.generator)
            #expect(try await queue.beginRestoration(of: 0, mark: mark) == .restoring(mark))
            let lost = [30, 20].map { bytes in
                LostCapture(
                    submission: maker.submission(
                        of: device, photoBytes: bytes - 1, depthBytes: 1, bundleStore: .filesystem),
                    isRedriven: bytes == 20)
            }
            #expect(try await queue.restore(lost, in: 0, under: mark) == [.restored, .restored])
            #expect(try await counted(device, fixture) == 50)
            #expect(try await fixture.upload(maker.submission(of: device)) == .full)
            for lease in try await queue.claimNow(captures: 1) { _ = try await queue.settle([lease.settling()]) }
            #expect(try await counted(device, fixture) == 20)
            #expect(try await fixture.upload(maker.submission(of: device)) == .accepted)
        }
    }

    @Test func `bytes that are not counted never become less than nothing`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 93)
            let (device, queue) = (maker.device(), fixture.queue())
            let laneBytes = RedisArgument.string(fixture.keyspace[0].laneBytes)
            _ = try await upload([10, 20, 30], of: device, &maker, to: fixture)
            // By hand: captures are in the lane that nobody has counted.
            try await fixture.redis("DEL", laneBytes)
            _ = try await queue.settle([try await queue.claimOne(captures: 1).settling()])
            #expect(try await counted(device, fixture) == nil)
            _ = try await upload([5], of: device, &maker, to: fixture)
            #expect(try await counted(device, fixture) == 5)
            _ = try await queue.settle([try await queue.claimOne(captures: 2).settling()])
            #expect(try await counted(device, fixture) == nil)
        }
    }

    @Test func `bytes that are left of an empty lane refuse nothing`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 94)
            let device = maker.device()
            let laneBytes = RedisArgument.string(fixture.keyspace[0].laneBytes)
            try await fixture.redis("HSET", laneBytes, .string("\(device)"), .integer(1 << 40))
            _ = try await upload([10, 20], of: device, &maker, to: fixture)
            #expect(try await counted(device, fixture) == 30)
        }
    }

    /// Between `capturectl migrate` and the first gateway, or where gateways in other languages set the limits.
    @Test func `the bytes of a lane are a tenth of the queue's where nobody has said how many`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 95)
            let device = maker.device()
            let limits = RedisArgument.string(fixture.keyspace[0].limits)
            try await fixture.redis("HDEL", limits, "device_bytes_max")
            try await fixture.redis("HSET", limits, "bytes_max", 1000)
            _ = try await upload([60, 40], of: device, &maker, to: fixture)
            #expect(try await fixture.upload(maker.submission(of: device)) == .full)
            #expect(try await fixture.upload(maker.submission(of: maker.device())) == .accepted)
        }
    }

    @Test(arguments: [1, 4])
    func `the bytes of a lane have a limit that is one device's in whatever partition it is`(partitions: Int)
        async throws
    {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.bytesPerDeviceMax = 12_345
        try await QueueFixture.with(partitions: partitions, configuration: configuration) { fixture in
            try await fixture.queue().applyLimits()
            for keys in fixture.keyspace.all {
                #expect(try await fixture.redis("HGET", .string(keys.limits), "device_bytes_max").int == 12_345)
            }
        }
    }
}
