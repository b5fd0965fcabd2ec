import CaptureModel
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `A walk over the ledger` {
    @Test
    func `a walk over the ledger puts captures back in the order of acceptance, and sorts them by partition once`()
        async throws
    {
        let queue = EmptiedQueue(partitions: 16)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        var maker = SubmissionMaker(seed: 7)
        let devices = (0..<10).map { _ in maker.device() }
        let uploads = (0..<60).map { maker.submission(of: devices[$0 % devices.count]) }
        _ = try await ledger.record(uploads)
        let progress = try await queue.walk(ledger).restore(Array(0..<16))
        #expect(progress.restored == 60)
        let homes = Dictionary(grouping: uploads) { queue.home(of: $0.device) }
        #expect(queue.restored == homes.mapValues { $0.map(\.id) })
        #expect(queue.asked <= 2 * uploads.count, "whatever the number of partitions")
    }

    /// Each page would have something for a walk that looks for an empty one.
    @Test func `a restoration leaves what is recorded meanwhile to its gateways, and ends`() async throws {
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let uploads = SubmissionMaker.submissions(130, seed: 12)
        _ = try await ledger.record(Array(uploads[..<30]))
        let late = Mutex(uploads[30...])
        let queue = EmptiedQueue(partitions: 1) {
            let page = late.withLock { late in
                defer { late = late.dropFirst(20) }
                return Array(late.prefix(20))
            }
            _ = try? await ledger.record(page)
        }
        let progress = try await queue.walk(ledger).restore([0])
        #expect(progress.restored == 30 && queue.restored[0] == uploads[..<30].map(\.id))
        #expect(queue.finished == [0])
    }

    /// Marks that nobody asks for end, and there may be no other gateway.
    @Test func `a walk over the ledger that takes long asks where the partitions stand meanwhile`() async throws {
        let queue = EmptiedQueue(partitions: 1)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let uploads = SubmissionMaker.submissions(60, seed: 9)
        _ = try await ledger.record(uploads)
        var walk = queue.walk(ledger)
        walk.lookInterval = .zero
        _ = try await walk.restore([0])
        #expect(queue.looks == 3, "behind each page")
    }

    @Test func `a walk over the ledger leaves partitions that have not lost anything alone`() async throws {
        let queue = EmptiedQueue(partitions: 2)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let uploads = SubmissionMaker.submissions(20, seed: 8)
        _ = try await ledger.record(uploads)
        _ = try await queue.walk(ledger).restore([1])
        #expect(queue.restored[1] == uploads.filter { queue.home(of: $0.device) == 1 }.map(\.id))
        #expect(queue.restored[0] == nil)
    }

    @Test func `a walk over the ledger leaves a partition closed that refuses, and opens the others`() async throws {
        let queue = EmptiedQueue(partitions: 4, refusing: 2)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let uploads = SubmissionMaker.submissions(60, seed: 10)
        _ = try await ledger.record(uploads)
        let progress = try await queue.walk(ledger).restore(Array(0..<4))
        #expect(progress.refused == [2: QueueError(.refused, "DAMAGED")])
        #expect(queue.finished == [0, 1, 3])
        let homes = Dictionary(grouping: uploads) { queue.home(of: $0.device) }
        #expect(homes[2] != nil)
        #expect(queue.restored == homes.filter { $0.key != 2 }.mapValues { $0.map(\.id) })
    }

    @Test
    func `a walk over the ledger leaves a partition closed while a row of it is locked, and opens the others`()
        async throws
    {
        let queue = EmptiedQueue(partitions: 4)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let uploads = SubmissionMaker.submissions(60, seed: 15)
        _ = try await ledger.record(uploads)
        let locked = uploads[30]
        let home = queue.home(of: locked.device)
        await ledger.lock([locked.id])
        let walk = queue.walk(ledger)
        let progress = try await walk.restore(Array(0..<4))
        #expect(progress.refused == [home: QueueError(.busy, "")])
        #expect(queue.finished == Set(0..<4).subtracting([home]))
        let homes = Dictionary(grouping: uploads) { queue.home(of: $0.device) }.mapValues { $0.map(\.id) }
        #expect(queue.restored.filter { $0.key != home } == homes.filter { $0.key != home })
        // Whoever comes after the locked one stays behind it.
        let before = uploads[..<20].filter { queue.home(of: $0.device) == home }.map(\.id)
        #expect(queue.restored[home, default: []] == before)

        await ledger.lock([])
        let next = try await walk.restore([home])
        #expect(next.refused.isEmpty && queue.finished == Set(0..<4))
        #expect(queue.restored[home]?.dropFirst(before.count).elementsEqual(homes[home, default: []]) == true)
    }

    /// Otherwise it would ask both servers for ever, and put nothing back that is lost meanwhile.
    @Test func `a walk over the ledger ends where a queue tells the same dead letters again and again`() async throws {
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        let upload = SubmissionMaker.submission(seed: 11)
        _ = try await ledger.record([upload])
        let letter = DeadLetter.Position(diedAt: time.now, capture: upload.id)
        let walk = EmptiedQueue(partitions: 1, deadLetters: [letter]).walk(ledger)
        let restored = Restoration.restored(RestorationMark(text: "00000000-0000-4000-8000-000000000001"))
        let progress = try await walk.sweep([restored], after: 0, deadLetters: [:], olderThan: .zero)
        #expect(progress.lastDeadLetters == [0: letter])
        #expect(try await ledger.entries(of: [upload.id]).first?.isDead == true)
    }

    /// The worker that settled it was taken for dead, and ended before it could put it back.
    ///
    /// If it is given up again, as the result is another capture's with its id, it stays.
    @Test func `walks over the ledger put back those dead letters that have a result, and each once`() async throws {
        let time = ManualTime()
        let (ledger, store) = (MemoryIntakeLedger(time: time.source), MemoryCaptureStore(time: time.source))
        let uploads = SubmissionMaker.submissions(2, seed: 13)
        try await Self.settle(uploads[0], in: store, at: time.now)
        let deadLetters = uploads.map { DeadLetter.Position(diedAt: time.now, capture: $0.id) }.sorted()
        let queue = EmptiedQueue(partitions: 1, deadLetters: deadLetters)
        let restored = Restoration.restored(RestorationMark(text: "00000000-0000-4000-8000-000000000001"))
        let walk = queue.walk(ledger, store)
        for _ in 0..<2 { _ = try await walk.sweep([restored], after: 0, deadLetters: [:], olderThan: .zero) }
        #expect(queue.redriven == [uploads[0].id])
    }

    /// Somebody has written over the job in Redis, or deleted it: only its row can bring it back.
    @Test func `a walk over the ledger goes on where a dead letter that has a result cannot be put back`()
        async throws
    {
        let time = ManualTime()
        let (ledger, store) = (MemoryIntakeLedger(time: time.source), MemoryCaptureStore(time: time.source))
        let uploads = SubmissionMaker.submissions(3, seed: 14)
        for upload in uploads { try await Self.settle(upload, in: store, at: time.now) }
        let deadLetters = uploads.map { DeadLetter.Position(diedAt: time.now, capture: $0.id) }.sorted()
        let queue = EmptiedQueue(partitions: 1, deadLetters: deadLetters, damaged: [deadLetters[0].capture])
        let restored = Restoration.restored(RestorationMark(text: "00000000-0000-4000-8000-000000000001"))
        let progress = try await queue.walk(ledger, store).sweep(
            [restored], after: 0, deadLetters: [:], olderThan: .zero)
        #expect(queue.redriven == deadLetters[1...].map(\.capture))
        #expect(progress.lastDeadLetters == [0: deadLetters[2]] && progress.refused.isEmpty)
    }

    private static func settle(
        _ upload: CaptureSubmission, in store: MemoryCaptureStore, at now: Timestamp
    ) async throws {
        let job = CaptureJob(submission: upload, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false)
        _ = try await store.settle(
            [
                ExaminedCapture(
                    job: job, clientDataHash: .hash([1]), checks: [], outcome: .of(nil, counter: nil), capturedAt: nil,
                    verifiedAt: now)
            ], policy: .strict)
    }
}
