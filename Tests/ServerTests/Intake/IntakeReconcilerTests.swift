import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("The queue and the ledger agree", .timeLimit(.minutes(5)))
struct IntakeReconcilerTests {
    @Test(arguments: [1, 4])
    func `through flushes, restarts, dead gateways and zombies every accepted capture is verified once, in order`(
        partitions: Int
    ) async throws {
        let seed = testSeed("intake")
        let bundles = MemoryBundleStore(named: .filesystem)
        try await IntakeFixture.with(partitions: partitions, outside: bundles) { fixture async throws in
            try await fixture.running {
                let run = try await IntakeRun(fixture: fixture, seed: seed)
                for step in 0..<250 {
                    try await run.step()
                    #expect(run.faults.isEmpty, "seed \(seed), step \(step): \(run.faults.joined(separator: "; "))")
                    guard run.faults.isEmpty else { return }
                }
                try await run.finish()
                let faults = try await run.audit()
                #expect(faults.isEmpty, "seed \(seed), at the end: \(faults.joined(separator: "; "))")
                // About a hundred uploads, of which those fail that meet a queue that is not restored yet.
                #expect(run.acceptedCount >= 15, "seed \(seed)")
            }
        }
    }

    @Test func `a new capture waits until the lost ones of its device are back`() async throws {
        try await IntakeFixture.with(restoreWait: .seconds(60)) { fixture async throws in
            let device = DeviceID(UUID())
            try await fixture.running(reconciling: true) {
                var ids: [CaptureID] = []
                for counter in 1...3 as ClosedRange<UInt32> {
                    ids.append(try await fixture.upload(counter, of: device).id)
                }
                try await fixture.queue.redis("FLUSHALL")
                ids.append(try await fixture.upload(4, of: device).id)
                // An upload that is retried after the flush has its first id.
                let again = try await fixture.upload(2, of: device)
                #expect(again.id == ids[1] && again.isDuplicate)
                #expect(try await fixture.queue.queue().claimOne(captures: 9).ids == ids)
            }
        }
    }

    @Test func `a gateway that is frozen with the lock in its hands holds no restoration up`() async throws {
        try await IntakeFixture.with(
            restoreWait: .seconds(60), configure: { $0.othersMax = .milliseconds(200) }
        ) { fixture async throws in
            let device = DeviceID(UUID())
            try await fixture.running(reconciling: true) {
                let first = try await fixture.upload(1, of: device).id
                // A session of its own, which is asked for nothing more.
                _ = try await fixture.ledger.exclusively {
                    do {
                        try await fixture.queue.redis("FLUSHALL")
                        let second = try await fixture.upload(2, of: device).id
                        #expect(try await fixture.queue.queue().claimOne(captures: 9).ids == [first, second])
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
    }

    @Test func `a row without queue entry is enqueued when its time has come, and a known one left alone`() async throws
    {
        try await IntakeFixture.with(configure: { $0.grace = .seconds(3600) }) { fixture async throws in
            let upload = SubmissionMaker.submission(seed: 4, receivedAt: moment(1))
            var round = try await fixture.firstTurn()
            _ = try await fixture.ledger.record([upload])
            try await fixture.reconciler.turn(&round)
            #expect(try await fixture.queue.queue().load().captures == 0, "its gateway may be about to")
        }
        try await IntakeFixture.with { fixture async throws in
            let upload = SubmissionMaker.submission(seed: 4, receivedAt: moment(1))
            var round = try await fixture.firstTurn()
            try await fixture.queue.store(upload)
            _ = try await fixture.ledger.record([upload])
            for _ in 0..<3 {
                try await fixture.reconciler.turn(&round)
                round = ReconcilerRound(IntakeReconciler.Configuration())
            }
            #expect(try await fixture.queue.queue().load().captures == 1)
            #expect(try await !fixture.ledger.withdraw(upload.id), "its gateway cannot take it back any more")
            #expect(try await fixture.queue.queue().claimOne().ids == [upload.id])
        }
    }

    @Test func `what a device has in flight at once comes back in the order of arrival`() async throws {
        try await IntakeFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 9)
            let device = maker.device()
            let uploads = (0..<20).map { maker.submission(of: device, receivedAt: moment($0)) }
            for upload in uploads { try await fixture.queue.store(upload) }
            _ = try await fixture.ledger.record(uploads)
            try await fixture.firstTurn()
            #expect(try await fixture.queue.queue().claimOne(captures: 64).ids == uploads.map(\.id))
        }
    }

    @Test func `bytes that went with Redis are named one by one`() async throws {
        try await IntakeFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 4)
            let uploads = (0..<20).map { _ in maker.submission(of: maker.device(), receivedAt: moment(1)) }
            _ = try await fixture.ledger.record(uploads)
            for upload in uploads[12...] { try await fixture.queue.store(upload) }
            let walk = fixture.reconciler.walk
            let tally = try await walk.restore([0])
            #expect(tally.restored == 20)
            #expect(tally.lost.count == 12 && Set(tally.lost) == Set(uploads[..<12].map(\.id)))
        }
    }

    @Test func `a discarded capture does not come back, and may be sent again`() async throws {
        try await IntakeFixture.with(outside: MemoryBundleStore(named: .filesystem)) { fixture async throws in
            let device = DeviceID(UUID())
            try await fixture.running {
                var round = try await fixture.firstTurn()
                let first = try await fixture.upload(1, of: device).id
                #expect(try await fixture.ledger.discard(first) != nil)
                try await fixture.queue.redis("FLUSHALL")
                try await fixture.reconciler.turn(&round)
                #expect(try await fixture.queue.queue().load().captures == 0)
                let again = try await fixture.upload(1, of: device)
                #expect(again.id != first && !again.isDuplicate)
            }
        }
    }

    /// As after a discard that came too late: the capture was put back and settled while its row was away.
    @Test func `an open row whose capture has its result is closed, and its bundle is known when it is sent again`()
        async throws
    {
        try await IntakeFixture.with { fixture async throws in
            let device = try await fixture.store.registered()
            var maker = SubmissionMaker(seed: 4)
            let upload = maker.submission(
                of: device.id, digest: UploadedBundle.signed(1, of: device.id).digest(device: device.id),
                receivedAt: moment(1))
            let capture = ExaminedCapture.sample(device, counter: 1, upload: upload)
            _ = try await fixture.store.settle([capture], policy: .strict)
            #expect(try await fixture.ledger.record([upload]) == [.recorded])
            try await fixture.running {
                let tally = try await fixture.reconciler.walk.restore([0])
                #expect(tally.lastPlace > 0 && tally.restored == 0 && tally.lost.isEmpty)
                #expect(try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
                let again = try await fixture.upload(1, of: device.id)
                #expect(again == .init(id: upload.id, state: .verified, isDuplicate: true))
                #expect(try await fixture.queue.queue().load().captures == 0)
            }
        }
    }

    @Test func `a row that cannot be read keeps no other capture from coming back`() async throws {
        try await IntakeFixture.with { fixture async throws in
            let device = DeviceID(UUID())
            try await fixture.running {
                var round = try await fixture.firstTurn()
                var ids: [CaptureID] = []
                for counter in 1...5 as ClosedRange<UInt32> {
                    ids.append(try await fixture.upload(counter, of: device).id)
                }
                let culprit = ids.remove(at: 2)
                try await fixture.execute("UPDATE intake SET binding = 'framed-v9' WHERE capture_id = '\(culprit)'")
                try await fixture.queue.redis("FLUSHALL")
                try await fixture.reconciler.turn(&round)
                #expect(try await fixture.queue.queue().claimOne(captures: 9).ids == ids)
                let restorations = try await fixture.queue.queue().restorations()
                #expect(!restorations.isEmpty && restorations.allSatisfy(\.isRestored))
            }
        }
    }

    @Test func `a purge that fails does not have the sweep done again`() async throws {
        try await IntakeFixture.with(configure: { $0.grace = .seconds(3600) }) { fixture async throws in
            var round = try await fixture.firstTurn()
            try await fixture.execute(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
                CREATE TRIGGER refuse BEFORE DELETE ON intake FOR EACH STATEMENT EXECUTE FUNCTION refuse()
                """)
            await #expect(throws: ServerFault.self) { try await fixture.reconciler.turn(&round) }
            #expect(round.plan(broken: [], at: .now) == .nothing)
        }
    }

    @Test func `rows are purged when a bundle need not be known any more`() async throws {
        try await IntakeFixture.with(configure: { $0.retention = .zero }) { fixture async throws in
            var maker = SubmissionMaker(seed: 4)
            let device = try await fixture.store.registered()
            let upload = maker.submission(of: device.id, receivedAt: moment(1))
            let capture = ExaminedCapture.sample(device, counter: 1, upload: upload)
            _ = try await fixture.ledger.record([upload])
            _ = try await fixture.store.settle([capture], policy: .strict)
            var round = try await fixture.firstTurn()
            #expect(try await fixture.ledger.accepted([upload.id]).count == 1, "restoring comes first")
            try await fixture.reconciler.turn(&round)
            #expect(try await fixture.ledger.accepted([upload.id]).isEmpty)
        }
    }
}
