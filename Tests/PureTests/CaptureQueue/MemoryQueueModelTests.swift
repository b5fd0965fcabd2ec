import CaptureModel
import CaptureQueue
import Testing

@testable import TestSupport

/// The rules of the queue as plain data, over random sequences of everything that may happen.
struct MemoryQueueModelTests {
    private static let seed = testSeed("memory queue")

    @Test(arguments: 0..<20)
    func `every step of a random run keeps one token for each lane that is not empty`(offset: UInt64) {
        let seed = Self.seed &+ offset
        var run = ModelRun(seed: seed)
        for step in 0..<400 {
            run.step()
            let faults = run.faults()
            #expect(faults.isEmpty, "seed \(seed), step \(step): \(faults.joined(separator: "; "))")
            guard faults.isEmpty else { return }
        }
        #expect(run.acceptedCount > 50, "seed \(seed): three steps in ten enqueue, and there is room for all of it")
    }
}

/// One random run, with what is known to be true from the outside.
private struct ModelRun {
    private var state: MemoryQueueState
    private var maker: SubmissionMaker
    private let devices: [DeviceID]
    private var now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    private var leases: [(consumer: String, lease: Lease)] = []
    private var expectedLanes: [DeviceID: [CaptureID]] = [:]
    private var expectedDead: Set<CaptureID> = []
    private var settledTwice: [CaptureID] = []
    private var settled: Set<CaptureID> = []
    private(set) var acceptedCount = 0

    init(seed: UInt64) {
        var configuration = MemoryCaptureQueue.Configuration()
        configuration.deliveriesMax = 3
        state = MemoryQueueState(limits: configuration)
        var maker = SubmissionMaker(seed: seed)
        devices = (0..<4).map { _ in maker.device() }
        self.maker = maker
    }

    mutating func step() {
        let consumer = "worker-\(Int.random(in: 0..<3, using: &maker.generator))"
        switch Int.random(in: 0..<100, using: &maker.generator) {
        case ..<30: enqueue()
        case ..<50:
            let leases = state.claim(consumer: consumer, lanesMax: 2, capturesPerLaneMax: 3, now: now)
            self.leases += leases.map { (consumer, $0) }
        case ..<60: takeOver(consumer)
        case ..<85: settle()
        case ..<90: _ = state.promote(now: now)
        case ..<93: redrive()
        case ..<95: state.renew(consumer: consumer, now: now)
        default: now = now.advanced(by: .seconds(Int.random(in: 1..<40, using: &maker.generator)))
        }
    }

    private mutating func enqueue() {
        let device = devices.randomElement(using: &maker.generator) ?? devices[0]
        let submission = maker.submission(of: device)
        guard (try? state.enqueue(submission, now: now)) == .accepted else { return }
        acceptedCount += 1
        expectedLanes[device, default: []].append(submission.id)
    }

    private mutating func takeOver(_ consumer: String) {
        switch state.takeOver(consumer: consumer, now: now) {
        case .none: break
        case .claimed(let lease): leases.append((consumer, lease))
        case .buried(let capture):
            for device in devices { expectedLanes[device]?.removeAll { $0 == capture } }
            expectedDead.insert(capture)
        }
    }

    private mutating func settle() {
        guard let index = leases.indices.randomElement(using: &maker.generator) else { return }
        let (consumer, lease) = leases[index]
        // Left in place it is settled again later, as a zombie does.
        if Bool.random(using: &maker.generator) { leases.remove(at: index) }
        let count = Int.random(in: 0...lease.jobs.count, using: &maker.generator)
        let items = lease.jobs.prefix(count).map { job in
            let isDead = Int.random(in: 0..<4, using: &maker.generator) == 0
            return LaneSettlement.Item(
                id: job.id,
                disposition: isDead
                    ? .dead(.internal, fault: "test")
                    : .settled(.verified)
            )
        }
        let continuations: [LaneSettlement.Continuation] = [
            .ready, .handedBack, .delayed(.seconds(5), fault: "test"),
        ]
        let settlement = LaneSettlement(
            token: lease.token, device: lease.device, items: items,
            continuation: continuations.randomElement(using: &maker.generator) ?? .ready
        )
        guard state.settle(settlement, consumer: consumer, now: now).outcome == .settled else { return }
        for item in items {
            expectedLanes[lease.device]?.removeAll { $0 == item.id }
            if case .dead = item.disposition {
                expectedDead.insert(item.id)
            } else if !settled.insert(item.id).inserted {
                settledTwice.append(item.id)
            }
        }
    }

    private mutating func redrive() {
        guard let capture = state.dead.randomElement(using: &maker.generator), state.redrive(capture),
            let device = state.jobs[capture]?.submission.device
        else { return }
        expectedDead.remove(capture)
        expectedLanes[device, default: []].append(capture)
    }

    /// What is not as it must be.
    func faults() -> [String] {
        var faults: [String] = []
        for device in devices {
            let tokens =
                state.ready.count { $0.device == device } + state.held.values.count { $0.device == device }
                + (state.delayed[device] == nil ? 0 : 1)
            let lane = state.lanes[device, default: []]
            if tokens != (lane.isEmpty ? 0 : 1) { faults.append("\(tokens) tokens for a lane of \(lane.count)") }
            if lane != expectedLanes[device, default: []] { faults.append("a lane is out of order or incomplete") }
        }
        let waiting = state.lanes.values.joined()
        if state.waitingCount != waiting.count { faults.append("the count of what waits is wrong") }
        if state.waitingBytes != waiting.reduce(0, { $0 + (state.jobs[$1]?.submission.bytes ?? 0) }) {
            faults.append("the bytes of what waits are wrong")
        }
        if Set(state.dead) != expectedDead { faults.append("the dead letters are not those expected") }
        if !settledTwice.isEmpty { faults.append("settled twice: \(settledTwice)") }
        return faults
    }
}
