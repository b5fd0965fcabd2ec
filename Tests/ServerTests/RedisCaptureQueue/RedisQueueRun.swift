import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport

/// One random run against Redis, and what the outside knows to be true of it.
final class RedisQueueRun {
    let fixture: QueueFixture
    private let workers: [RedisCaptureQueue]
    let devices: [DeviceID]
    private var maker: SubmissionMaker
    private(set) var lanes: [DeviceID: [CaptureID]] = [:]
    private(set) var dead: [CaptureID: DeviceID] = [:]
    private(set) var settled: Set<CaptureID> = []
    /// How often a capture's worker did not come back while it was at the head.
    private var takeOvers: [CaptureID: Int] = [:]
    private(set) var discarded = 0
    private(set) var accepted: [CaptureSubmission] = []
    private var leases: [(worker: Int, lease: Lease)] = []
    private(set) var faultsMet: [String] = []

    init(fixture: QueueFixture, seed: UInt64) {
        self.fixture = fixture
        workers = (0..<3).map { fixture.queue("worker-\($0)") }
        var maker = SubmissionMaker(seed: seed)
        devices = (0..<5).map { _ in maker.device() }
        self.maker = maker
    }

    func step() async throws {
        let worker = Int.random(in: workers.indices, using: &maker.generator)
        switch Int.random(in: 0..<100, using: &maker.generator) {
        case ..<30: try await upload()
        case ..<48:
            let lanesMax = Int.random(in: 1...3, using: &maker.generator)
            let captures = Int.random(in: 1...4, using: &maker.generator)
            leases += try await workers[worker].claimNow(lanesMax, captures: captures).map { (worker, $0) }
        case ..<58: try await takeOver(worker)
        case ..<85: try await settle()
        case ..<89: _ = try await workers[worker].promote()
        case ..<92: try await redrive()
        case ..<94: try await discard()
        case ..<96: try await fixture.renew(workers[worker])
        case ..<98: try await workers[worker].leave()
        default: try await fixture.redis("FUNCTION", "FLUSH")
        }
    }

    private func upload() async throws {
        let device = devices.randomElement(using: &maker.generator) ?? devices[0]
        // Now and then the same bundle again, under another id.
        if let first = accepted.randomElement(using: &maker.generator),
            Int.random(in: 0..<8, using: &maker.generator) == 0,
            try await fixture.redis(
                "EXISTS", .string(fixture.keyspace.partition(of: first.device).accepted(first.bundleDigest))
            )
            .int == 1
        {
            let again = maker.submission(of: first.device, digest: first.bundleDigest)
            if try await fixture.upload(again) != .duplicate(of: first.id) { faultsMet.append("a bundle taken twice") }
            return
        }
        let submission = maker.submission(of: device)
        guard try await fixture.upload(submission) == .accepted else {
            faultsMet.append("not accepted")
            return
        }
        accepted.append(submission)
        lanes[device, default: []].append(submission.id)
    }

    private func takeOver(_ worker: Int) async throws {
        let before = Set(try await fixture.queue().deadLetters(after: nil, limit: 1000).letters.map(\.id))
        if let lease = try await workers[worker].takeOver() {
            if lease.jobs.count != 1 { faultsMet.append("took over \(lease.jobs.count) captures") }
            for id in lease.ids { noteTakeOver(of: id, isLast: false) }
            leases.append((worker, lease))
        }
        for letter in try await fixture.queue().deadLetters(after: nil, limit: 1000).letters
        where !before.contains(letter.id) {
            if lanes[letter.status.device]?.first != letter.id { faultsMet.append("buried what was not the head") }
            lanes[letter.status.device]?.removeFirst()
            dead[letter.id] = letter.status.device
            noteTakeOver(of: letter.id, isLast: true)
        }
    }

    /// Whatever has happened to its lane in between, the last one allowed is the last one.
    private func noteTakeOver(of capture: CaptureID, isLast: Bool) {
        let count = takeOvers[capture, default: 0] + 1
        takeOvers[capture] = isLast ? nil : count
        if isLast != (count == fixture.configuration.deliveriesMax) {
            faultsMet.append("taken over \(count) times, and \(isLast ? "buried" : "handed out again")")
        }
    }

    private func settle() async throws {
        guard let index = leases.indices.randomElement(using: &maker.generator) else { return }
        let (worker, lease) = leases[index]
        // Left in place it is settled again later, as a zombie does.
        if Int.random(in: 0..<3, using: &maker.generator) != 0 { leases.remove(at: index) }
        let count = Int.random(in: 0...lease.jobs.count, using: &maker.generator)
        let items = lease.ids.prefix(count).map { id in
            LaneSettlement.Item(
                id: id,
                disposition: Int.random(in: 0..<4, using: &maker.generator) == 0
                    ? .dead(.internal, fault: "test") : .settled(.verified)
            )
        }
        let continuations: [LaneSettlement.Continuation] = [.ready, .handedBack, .delayed(.zero, fault: "test")]
        let settlement = LaneSettlement(
            token: lease.token, device: lease.device, items: items,
            continuation: continuations.randomElement(using: &maker.generator) ?? .ready
        )
        guard try await workers[worker].settle([settlement]) == [.settled] else { return }
        for item in items {
            if lanes[lease.device]?.first != item.id { faultsMet.append("settled out of order") }
            lanes[lease.device]?.removeFirst()
            if case .dead = item.disposition {
                dead[item.id] = lease.device
                takeOvers[item.id] = nil
            } else if !settled.insert(item.id).inserted {
                faultsMet.append("settled twice")
            }
        }
    }

    private func redrive() async throws {
        guard let (capture, device) = dead.sorted(by: { $0.key.description < $1.key.description }).first else { return }
        let isBack = try await fixture.queue().redrive(capture, from: device)
        if !isBack { faultsMet.append("a dead letter was not redriven") }
        dead[capture] = nil
        lanes[device, default: []].append(capture)
    }

    private func discard() async throws {
        guard let (capture, _) = dead.sorted(by: { $0.key.description < $1.key.description }).last else { return }
        let isDiscarded = try await fixture.queue().discardLetter(of: capture)
        if !isDiscarded { faultsMet.append("a dead letter was not discarded") }
        dead[capture] = nil
        discarded += 1
    }

    /// Works everything off, with a worker that comes after all the others are gone.
    func finish() async throws {
        for worker in workers { try await worker.leave() }
        let last = fixture.queue("last")
        while lanes.values.contains(where: { !$0.isEmpty }) {
            _ = try await last.promote()
            for lease in try await last.claimNow(captures: 8) {
                if try await last.settle([lease.settling()]) != [.settled] {
                    faultsMet.append("not settled at the end")
                }
                if Array(lanes[lease.device, default: []].prefix(lease.ids.count)) != lease.ids {
                    faultsMet.append("claimed out of order at the end")
                }
                lanes[lease.device]?.removeFirst(lease.ids.count)
                settled.formUnion(lease.ids)
            }
        }
        for capture in dead.keys { _ = try await last.discardLetter(of: capture) }
        discarded += dead.count
        dead = [:]
        try await last.leave()
    }

    /// Keys that should not be there any more.
    ///
    /// Statuses and known bundles have an expiry.
    func leftovers() async throws -> [String] {
        var left: [String] = []
        for key in try await fixture.keys() {
            let isKept = key.hasSuffix("}:") || [":stats", ":ready", ":limits"].contains { key.hasSuffix($0) }
            if !isKept, try await fixture.redis("PTTL", .string(key)).int == -1 { left.append("left over: \(key)") }
        }
        return left
    }
}
