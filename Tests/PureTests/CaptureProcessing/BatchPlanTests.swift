@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import Testing

/// Jobs and leases for the worker's pure decisions.
enum Work {
    static func job(
        of device: DeviceID? = nil, bytes: Int, attempts: Int = 1, generator: inout SeededGenerator,
        store: BundleStoreName = .redis
    ) -> ClaimedJob {
        let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        let submission = CaptureSubmission(
            id: .make(at: now, using: &generator), device: device ?? .make(using: &generator),
            bundleDigest: .hash([1]), binding: .concatV1, assertion: [], metadata: [], photoDigest: .hash([2]),
            depthDigest: .hash([3]), photoBytes: bytes, depthBytes: 0, receivedAt: now, traceParent: nil,
            bundleStore: store
        )
        return .valid(
            CaptureJob(submission: submission, receivedAt: now, claimedAt: now, attempts: attempts, isRedriven: false)
        )
    }

    static func lease(_ number: Int, _ jobs: [ClaimedJob], generator: inout SeededGenerator) -> Lease {
        Lease(
            token: LaneToken(text: "\(number)-0#1", partition: 0), device: .make(using: &generator), deliveries: 1,
            suspicion: .clear, jobs: jobs
        )
    }

    static func capture(_ claimed: ClaimedJob) -> ExaminedCapture? { capture(claimed, rollout: nil) }

    static func capture(_ claimed: ClaimedJob, rollout: RolloutRuling?) -> ExaminedCapture? {
        guard case .valid(let job) = claimed else { return nil }
        return ExaminedCapture(
            job: job, clientDataHash: .hash([]), checks: [],
            outcome: .rejected(.deviceUnknown, device: nil, counter: nil), capturedAt: nil, verifiedAt: job.claimedAt,
            rollout: rollout)
    }
}

@Suite("How a claim is cut into batches")
struct BatchPlanTests {
    @Test(arguments: 0..<50)
    func `every lease is in one batch with the head of its lane, and the limits hold`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let leases = (0..<Int.random(in: 1...20, using: &generator)).map { number in
            let jobs = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                Work.job(bytes: Int.random(in: 0...400, using: &generator), generator: &generator)
            }
            return Work.lease(number, jobs, generator: &generator)
        }
        let batches = BatchPlan.batches(of: leases, bytesMax: 1000, capturesMax: 10)
        #expect(batches.flatMap { $0.map(\.lease) } == leases)
        for batch in batches {
            #expect(batch.reduce(0) { $0 + $1.jobs.count } <= 10)
            #expect(batch.flatMap(\.jobs).reduce(0) { $0 + $1.bytes } <= 1000)
            for portion in batch {
                #expect(Array(portion.jobs) == Array(portion.lease.jobs.prefix(portion.jobs.count)))
            }
        }
    }

    /// Each batch is a transaction of its own: smaller ones than need be cost more of them.
    @Test(
        arguments: [
            ([[400, 300], [300], [1]], [[2, 1], [1]]), ([[600, 400, 1]], [[2]]), ([[999], [2, 998]], [[1], [2]]),
            ([Array(repeating: 1, count: 6), Array(repeating: 1, count: 4), [1]], [[6, 4], [1]]),
            ([Array(repeating: 1, count: 12)], [[10]]),
            ([Array(repeating: 1, count: 8), Array(repeating: 1, count: 8)], [[8, 2]]),
        ] as [([[Int]], [[Int]])])
    func `a batch is filled up to its limits and no further`(lanes: [[Int]], counts: [[Int]]) {
        var generator = SeededGenerator(seed: 2)
        var leases: [Lease] = []
        for (number, bytes) in lanes.enumerated() {
            let jobs = bytes.map { Work.job(bytes: $0, generator: &generator) }
            leases.append(Work.lease(number, jobs, generator: &generator))
        }
        let batches = BatchPlan.batches(of: leases, bytesMax: 1000, capturesMax: 10)
        #expect(batches.map { $0.map(\.jobs.count) } == counts)
    }

    @Test func `a bundle over the limit is worked alone`() {
        var generator = SeededGenerator(seed: 1)
        let leases = [500, 5000, 500].enumerated().map { number, bytes in
            Work.lease(number, [Work.job(bytes: bytes, generator: &generator)], generator: &generator)
        }
        #expect(BatchPlan.batches(of: leases, bytesMax: 1000, capturesMax: 10).map(\.count) == [1, 1, 1])
    }
}

@Suite("How a lane is given back")
struct LaneConclusionTests {
    private func conclusion(_ conclusions: (ClaimedJob) -> [CaptureConclusion], attempts: Int = 1) -> LaneConclusion {
        var generator = SeededGenerator(seed: 7)
        let jobs = (0..<3).map { _ in Work.job(bytes: 1, attempts: attempts, generator: &generator) }
        let lease = Work.lease(1, jobs, generator: &generator)
        return LaneConclusion(
            portion: LanePortion(lease: lease, jobs: jobs[...]), conclusions: jobs.flatMap(conclusions)
        )
    }

    private func settle(_ conclusion: LaneConclusion) -> LaneSettlement {
        let recall = Recall()
        var decided = BatchDecision()
        for capture in conclusion.decidable(after: recall) {
            let id = capture.job.id
            decided.settled[id] = SettledCapture(
                id: id, decision: .rejected(.deviceUnknown), wasSettledBefore: false)
        }
        return conclusion.settlement(recall: recall, decided: decided, retries: .seconds(upTo: 3))
    }

    @Test func `captures behind a fault are not settled before it`() {
        var seen = 0
        let conclusion = conclusion { job in
            seen += 1
            return seen == 2 ? [.fault(.bundleCorrupt, "x")] : Work.capture(job).map { [.examined($0)] } ?? []
        }
        let settlement = settle(conclusion)
        #expect(settlement.items.count == 1)
        #expect(settlement.continuation == .delayed(.seconds(1), reason: .bundleCorrupt, fault: "x"))
    }

    @Test func `a capture out of attempts is a dead letter, and the lane goes on`() {
        let settlement = settle(conclusion({ _ in [.fault(.bundleCorrupt, "x")] }, attempts: 3))
        #expect(settlement.items.map(\.disposition) == [.dead(.bundleCorrupt, fault: "x")])
        #expect(settlement.continuation == .handedBack)
    }

    @Test func `a capture that can never be looked at does not stop those behind it`() {
        var seen = 0
        let conclusion = conclusion { job in
            seen += 1
            return seen == 1 ? [.dead(.bundleMissing, "gone")] : Work.capture(job).map { [.examined($0)] } ?? []
        }
        let settlement = settle(conclusion)
        #expect(settlement.items.count == 3)
        #expect(settlement.continuation == .ready)
    }

    @Test func `a capture whose bytes are back is given back with those behind it, and one before it dies`() {
        let conclusion = conclusion { _ in [.dead(.bundleMissing, "gone")] }
        let captures = conclusion.portion.jobs.map(\.id)
        let settlement = settle(conclusion.cut(before: [captures[1]]))
        #expect(settlement.items.map(\.id) == [captures[0]])
        #expect(settlement.items.map(\.disposition) == [.dead(.bundleMissing, fault: "gone")])
        #expect(settlement.continuation == .handedBack)
    }

    @Test func `what is elsewhere is never in one batch with what is in Redis, and comes behind it`() {
        var generator = SeededGenerator(seed: 3)
        let (redis, files) = (BundleStoreName.redis, BundleStoreName.filesystem)
        let lanes = [[files, redis], [redis, files, redis], [redis]].enumerated().map { number, stores in
            let jobs = stores.map { Work.job(bytes: 1, generator: &generator, store: $0) }
            return Work.lease(number, jobs, generator: &generator)
        }
        let batches = BatchPlan.batches(of: lanes, bytesMax: 100, capturesMax: 100)
        let stores = batches.map { batch in batch.flatMap { $0.jobs.map { $0.submission?.bundleStore } } }
        #expect(stores == [[redis, redis], [files]])
        #expect(batches.flatMap { $0.map(\.leavesSome) } == [true, false, true], "the rest is for the next claim")
    }
}
