import CaptureModel
import CaptureQueue
import DeviceSimulator
import RedisCaptureQueue
import RedisClient
import Synchronization
import TestSupport
import Testing

@Suite("The doctor of a busy queue", .timeLimit(.minutes(3)))
struct BusyQueueDoctorTests {
    @Test(arguments: [1, 4])
    func `beside a busy queue the doctor finds what is broken and nothing else`(partitions: Int) async throws {
        let seed = testSeed("doctor beside load")
        var configuration = RedisQueueConfiguration.ofTests
        configuration.deliveriesMax = 3
        // Tokens count as lapsed at once: workers take lanes from each other all the time.
        configuration.leaseDuration = .zero
        try await QueueFixture.withOwnServer(
            ["--appendfsync", "no"], partitions: partitions, configuration: configuration
        ) { fixture in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let flag = StopFlag()
                for number in 0..<4 as Range<UInt64> {
                    group.addTask {
                        var worker = BusyWorker(fixture, seed: seed + number)
                        while !flag.isSet.withLock({ $0 }) { try await worker.step() }
                    }
                }
                let doctor = QueueDoctor(queue: fixture.queue("doctor"))
                for _ in 0..<12 {
                    let examination = try await doctor.examine()
                    #expect(examination.findings == [], "seed \(seed)")
                }
                // A lane that nobody touches, as no worker ever comes by.
                var maker = SubmissionMaker(seed: seed + 1_000_000)
                let lost = maker.submission(of: maker.device())
                let keys = fixture.keyspace.partition(of: lost.device)
                try await fixture.redis("RPUSH", .string(keys.lane(lost.device)), .string("\(lost.id)"))
                let findings = try await doctor.examine().findings
                #expect(
                    Set(findings.map { "\($0.fault) \($0.subject)" })
                        == ["laneWithoutToken \(lost.device)", "laneEntryWithoutJob \(lost.id)"], "seed \(seed)")
                flag.isSet.withLock { $0 = true }
                try await group.waitForAll()
            }
        }
    }
}

private final class StopFlag: Sendable {
    let isSet = Mutex(false)
}

/// Does at random whatever gateways, workers and operators do.
private struct BusyWorker {
    private let fixture: QueueFixture
    private let queue: RedisCaptureQueue
    private let devices: [DeviceID]
    private var maker: SubmissionMaker

    init(_ fixture: QueueFixture, seed: UInt64) {
        self.fixture = fixture
        queue = fixture.queue("worker-\(seed)")
        // All share their devices.
        var shared = SubmissionMaker(seed: 1)
        devices = (0..<40).map { _ in shared.device() }
        maker = SubmissionMaker(seed: seed)
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<100, using: &maker.generator) {
        case ..<40: try await upload()
        case ..<75: try await settle(try await queue.claimNow(Int.random(in: 1...8, using: &maker.generator)))
        case ..<85: try await settle([try await queue.takeOver()].compactMap { $0 })
        case ..<90: _ = try await queue.promote()
        case ..<95:
            for letter in try await queue.deadLetters(after: nil, limit: 1).letters {
                _ = try await queue.redrive(letter.id, from: letter.status.device)
            }
        case ..<98:
            for letter in try await queue.deadLetters(after: nil, limit: 5).letters {
                _ = try await queue.discard(letter.position)
            }
        default: try await queue.leave()
        }
    }

    private mutating func upload() async throws {
        try await fixture.upload(maker.submission(of: devices.randomElement(using: &maker.generator) ?? devices[0]))
    }

    private mutating func settle(_ leases: [Lease]) async throws {
        let continuations: [LaneSettlement.Continuation] = [
            .ready, .ready, .handedBack, .delayed(.milliseconds(2), fault: "test"),
        ]
        var settlements: [LaneSettlement] = []
        // Some are never given back: their worker is lost.
        for lease in leases where Int.random(in: 0..<10, using: &maker.generator) > 0 {
            var settlement = lease.settling(
                Int.random(in: 0...lease.jobs.count, using: &maker.generator),
                continuations.randomElement(using: &maker.generator) ?? .ready)
            if Int.random(in: 0..<8, using: &maker.generator) == 0 {
                settlement = LaneSettlement(
                    token: lease.token, device: lease.device,
                    items: settlement.items.map { .init(id: $0.id, disposition: .dead(.internal, fault: "test")) },
                    continuation: settlement.continuation)
            }
            settlements.append(settlement)
        }
        if !settlements.isEmpty { _ = try await queue.settle(settlements) }
    }
}
