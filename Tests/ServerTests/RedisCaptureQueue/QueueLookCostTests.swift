import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What it costs Redis to tell how full the queue is, who works it and what became of the latest captures.
@Suite("The cost of looking at the queue", .timeLimit(.minutes(2)))
struct QueueLookCostTests {
    /// Commands that open a connection or measure.
    private static let others: Set = ["client|setname", "role", "ping", "config|resetstat", "info"]

    /// How often each command is called meanwhile, in functions, too.
    private func calls(_ fixture: QueueFixture, during look: () async throws -> Void) async throws -> [String: Int] {
        try await fixture.redis("CONFIG", "RESETSTAT")
        try await look()
        let statistics = try await fixture.redis("INFO", "commandstats").string ?? ""
        var counts: [String: Int] = [:]
        for line in statistics.matches(of: /cmdstat_([^:]+):calls=([0-9]+),/) {
            counts[String(line.output.1)] = Int(line.output.2)
        }
        return counts.filter { !Self.others.contains($0.key) }
    }

    /// Puts captures into 150 lanes: 20 are held and 20 put off, and 20 captures are given up.
    private func fill(_ fixture: QueueFixture) async throws {
        var maker = SubmissionMaker(seed: 74)
        let devices = (0..<150).map { _ in maker.device() }
        for device in devices + devices { try await fixture.upload(maker.submission(of: device)) }
        let queue = fixture.queue("worker")
        var leases: [Lease] = []
        while leases.count < 60 { leases += try await queue.claimNow(60 - leases.count, captures: 1) }
        let delay = LaneSettlement.Continuation.delayed(.seconds(3_600), fault: "test")
        let putOff = leases[0..<20].map { $0.settling(0, delay) }
        let givenUp = leases[20..<40].map { $0.burying() }
        #expect(try await queue.settle(putOff + givenUp).allSatisfy { $0 == .settled })
        let load = try await queue.load()
        #expect(load.captures == 280 && load.deadLetters == 20)
        #expect(load.readyLanes == 110 && load.leasedLanes == 20 && load.delayedLanes == 20)
    }

    @Test(arguments: [1, 4])
    func `a look calls the same commands with nothing in the queue and with hundreds of captures in many lanes`(
        partitions: Int
    ) async throws {
        try await QueueFixture.withOwnServer(partitions: partitions) { fixture in
            let queue = fixture.queue("gateway")
            // `/metrics` asks for the load, `/api/v1/queue` for the overview.
            let load = try await calls(fixture) { _ = try await queue.load() }
            let overview = try await calls(fixture) { _ = try await queue.overview() }
            #expect(load["fcall"] == partitions && overview["fcall"] == 2 * partitions)
            // None of them goes through what waits.
            let names: Set = [
                "exists", "fcall", "get", "hgetall", "hmget", "time", "type", "xinfo|consumers", "xlen", "xpending",
                "zcard", "zrange",
            ]
            #expect(Set(overview.keys) == names)
            try await fill(fixture)
            let loadOfMany = try await calls(fixture) { _ = try await queue.load() }
            let overviewOfMany = try await calls(fixture) { _ = try await queue.overview() }
            #expect(loadOfMany == load && overviewOfMany == overview)
        }
    }
}
