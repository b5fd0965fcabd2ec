import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import Foundation
import Logging
import TestSupport
import Testing
import Waiting

@testable import FilesystemBundleStore

@Suite("Only bytes that belong to nobody are swept", .timeLimit(.minutes(2)))
struct OrphanSweeperTests {
    /// How long bytes stay that nobody knows, without a ledger.
    private static let unknownAge = Duration.seconds(7 * 86_400)

    /// A sweeper that has come round once when every one of the 256 folders was looked at.
    ///
    /// Unless told otherwise, all bytes have lain for long enough.
    private func sweep(
        _ folder: BundleFolder, _ queue: MemoryCaptureQueue, _ standings: [CaptureID: RecordedStanding] = [:],
        hasLedger: Bool = true, age: Duration = .zero
    ) async throws {
        let configuration = OrphanSweeper.Configuration(age: age, unknownAge: hasLedger ? age : Self.unknownAge)
        let sweeper = OrphanSweeper(
            bundles: folder.store, queue: queue, standings: { asked in standings.filter { asked.contains($0.key) } },
            configuration: configuration, start: SweepPosition(part: 7), logger: .quiet
        )
        var position = SweepPosition(part: 7)
        repeat { position = try await sweeper.step(from: position) } while position != SweepPosition(part: 7)
    }

    private func put(_ count: Int, into folder: BundleFolder) async throws -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 5)
        let device = maker.device()
        let captures = (0..<count).map { _ in maker.submission(of: device) }
        for capture in captures { try await folder.store.put(BundleFolder.media, of: capture) }
        return captures
    }

    private func kept(_ captures: [CaptureSubmission], in folder: BundleFolder) async throws -> [Bool] {
        try await folder.store.fetch(captures).map { $0 != .missing }
    }

    @Test func `what is queued, in hands, a dead letter or open in the ledger stays; the rest goes`() async throws {
        let folder = try await BundleFolder()
        let queue = MemoryCaptureQueue(time: Timestamp.systemTime)
        let captures = try await put(6, into: folder)
        // In this order: settled, dead, in hands, queued; then one in the ledger only, and one that nobody knows.
        for capture in captures.prefix(4) { #expect(try await queue.enqueue(capture) == .accepted) }
        let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 2, wait: .zero).first)
        let settlement = LaneSettlement(
            token: lease.token, device: lease.device,
            items: [
                .init(id: captures[0].id, disposition: .settled(.verified)),
                .init(id: captures[1].id, disposition: .dead(.internal, fault: "test")),
            ], continuation: .ready)
        #expect(settlement.settledCaptures == [captures[0].id])
        #expect(try await queue.settle([settlement]) == [.settled])
        _ = try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
        try await sweep(folder, queue, [captures[0].id: .settled, captures[4].id: .open])
        #expect(try await kept(captures, in: folder) == [false, true, true, true, true, false])
    }

    /// Somebody has written it to Redis, or the record was restored from a backup since.
    @Test(arguments: [true, false])
    func `what the queue calls settled stays until ledger or record say so too`(hasLedger: Bool) async throws {
        let folder = try await BundleFolder()
        let queue = MemoryCaptureQueue(time: Timestamp.systemTime)
        let captures = try await put(3, into: folder)
        for capture in captures { #expect(try await queue.enqueue(capture) == .accepted) }
        let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 3, wait: .zero).first)
        let settlement = LaneSettlement(
            token: lease.token, device: lease.device,
            items: captures.map { .init(id: $0.id, disposition: .settled(.verified)) }, continuation: .ready)
        #expect(try await queue.settle([settlement]) == [.settled])
        // In this order: open in the ledger, nowhere, settled.
        try await sweep(folder, queue, [captures[0].id: .open, captures[2].id: .settled], hasLedger: hasLedger)
        #expect(try await kept(captures, in: folder) == [true, true, false])
        #expect(try folder.contents().count { $0.hasSuffix("/unknown") } == 0)
        try await sweep(folder, queue, [captures[0].id: .settled, captures[1].id: .settled])
        #expect(try await kept(captures, in: folder) == [false, false, false])
    }

    private static let longerThanUnknown = 8 * 86_400.0

    @Test func `without a ledger, what a queue without its data does not know stays until it is unknown for very long`()
        async throws
    {
        let folder = try await BundleFolder()
        let captures = try await put(2, into: folder)
        let empty = MemoryCaptureQueue(time: Timestamp.systemTime)
        // However old: a dead letter may be from last year when the queue loses its data.
        try folder.setBack(captures[1], by: Self.longerThanUnknown)
        try await sweep(folder, empty, [captures[0].id: .settled], hasLedger: false)
        #expect(try await kept(captures, in: folder) == [false, true], "the record has the result of the first")
        try await sweep(folder, empty, hasLedger: false)
        #expect(try await kept(captures, in: folder) == [false, true], "a second look is no second week")
        try folder.setBack(captures[1], by: Self.longerThanUnknown)
        try await sweep(folder, empty, hasLedger: false)
        #expect(try await kept(captures, in: folder) == [false, false])
        #expect(try folder.contents() == [])
    }

    @Test func `a queue that has its data again, or a row, begins the time of the unknown anew`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(2, into: folder)
        let (empty, queue) = (
            MemoryCaptureQueue(time: Timestamp.systemTime), MemoryCaptureQueue(time: Timestamp.systemTime)
        )
        #expect(try await queue.enqueue(captures[0]) == .accepted)
        try await sweep(folder, empty, hasLedger: false)
        #expect(try folder.contents().count { $0.hasSuffix("/unknown") } == 2)
        for capture in captures { try folder.setBack(capture, by: Self.longerThanUnknown) }
        try await sweep(folder, queue, [captures[1].id: .open], hasLedger: false)
        #expect(try folder.contents().count { $0.hasSuffix("/unknown") } == 0)
        for capture in captures { try folder.setBack(capture, by: Self.longerThanUnknown) }
        try await sweep(folder, empty, hasLedger: false)
        #expect(try await kept(captures, in: folder) == [true, true])
    }

    @Test func `bytes that come again are as young as new ones, and somebody's`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(1, into: folder)
        let empty = MemoryCaptureQueue(time: Timestamp.systemTime)
        try await sweep(folder, empty, hasLedger: false)
        try folder.setBack(captures[0], by: Self.longerThanUnknown)
        try await folder.store.put(BundleFolder.media, of: captures[0])
        #expect(try folder.contents().count == 3, "folder, photo and depth map")
        try await sweep(folder, empty, age: .seconds(60))
        #expect(try await kept(captures, in: folder) == [true])
    }

    /// An upload's row was not yet visible when the sweep asked; then the same bundle came again and got its 202.
    @Test func `bytes that come again while a sweep asks for their capture stay`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(2, into: folder)
        for capture in captures { try folder.setBack(capture, by: 1_000) }
        let configuration = OrphanSweeper.Configuration(age: .seconds(900), unknownAge: .seconds(900))
        let again = captures[0]
        let sweeper = OrphanSweeper(
            bundles: folder.store, queue: MemoryCaptureQueue(time: Timestamp.systemTime),
            standings: { asked in
                guard asked.contains(again.id) else { return [:] }
                do { try await folder.store.put(BundleFolder.media, of: again) } catch { Issue.record(error) }
                return [:]
            }, configuration: configuration, start: SweepPosition(part: 0), logger: .quiet)
        var position = SweepPosition(part: 0)
        repeat { position = try await sweeper.step(from: position) } while position != SweepPosition(part: 0)
        #expect(try await kept(captures, in: folder) == [true, false])
    }

    @Test func `a capture is open by its row, and settled by its row or its result`() async throws {
        let time = ManualTime()
        let (store, ledger) = (MemoryCaptureStore(time: time.source), MemoryIntakeLedger(time: time.source))
        let captures = SubmissionMaker.submissions(4, seed: 3)
        let ids = captures.map(\.id)
        _ = try await ledger.record(Array(captures.prefix(2)))
        await ledger.close([ids[1]])
        let job = CaptureJob(
            submission: captures[2], receivedAt: time.now, claimedAt: time.now, attempts: 1, isRedriven: false)
        _ = try await store.settle([Work.capture(.valid(job))].compactMap { $0 }, policy: .strict)
        let standings = try await RecordedStanding.reader(of: store, and: ledger)(ids)
        #expect(standings == [ids[0]: .open, ids[1]: .settled, ids[2]: .settled])
    }

    @Test func `bytes that have not lain for long are left alone, whatever a worker's clock shows`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(3, into: folder)
        try folder.setBack(captures[1], by: 14 * 60)
        try folder.setBack(captures[2], by: 16 * 60)
        folder.reset()
        // By a clock that is 20 minutes ahead all three were orphans. The queue has such a one here, the sweeper none.
        let ahead: TimeSource = { Timestamp(Date().addingTimeInterval(20 * 60)) }
        try await sweep(folder, MemoryCaptureQueue(time: ahead), age: .seconds(900))
        #expect(try await kept(captures, in: folder) == [true, true, false])
        #expect(folder.steps.count { $0 == .stamp(BundleDirectory.mark) } == 256, "its time is asked for once a page")
    }

    @Test func `while the file system does not tell its time nothing is removed`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(1, into: folder)
        folder.reset(failing: 0, code: EACCES)
        await #expect(throws: QueueError(.refused, "")) {
            try await sweep(folder, MemoryCaptureQueue(time: Timestamp.systemTime))
        }
        #expect(folder.steps == [.stamp(BundleDirectory.mark)])
        #expect(try await kept(captures, in: folder) == [true])
    }

    @Test func `what a crash has left half-written goes too`() async throws {
        let folder = try await BundleFolder()
        let capture = try await put(1, into: folder)[0]
        let place = folder.folder(of: capture)
        let files = FileManager.default
        try files.moveItem(
            at: place.appending(path: capture.depthFile), to: place.appending(path: capture.depthFile + ".partial"))
        #expect(try await kept([capture], in: folder) == [false])
        try await sweep(folder, MemoryCaptureQueue(time: Timestamp.systemTime))
        #expect(try folder.contents() == [])
    }

    @Test func `what is no capture's is never touched`() async throws {
        let folder = try await BundleFolder()
        let (foreign, link) = ("00/notes", "00/01a1fc67-55f8-7b2b-980e-88715a91d300")
        try Data("mine".utf8).write(to: folder.directory.appending(path: foreign))
        try FileManager.default.createSymbolicLink(
            atPath: folder.directory.appending(path: link).path, withDestinationPath: "/")
        try await sweep(folder, MemoryCaptureQueue(time: Timestamp.systemTime))
        #expect(try folder.contents() == [link, foreign])
    }

    @Test func `while the queue cannot be asked nothing is removed`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(1, into: folder)
        let configuration = OrphanSweeper.Configuration(age: .zero, unknownAge: Self.unknownAge)
        let sweeper = OrphanSweeper(
            bundles: folder.store, queue: MemoryCaptureQueue(time: Timestamp.systemTime),
            standings: { _ throws(StoreError) in throw StoreError(.unavailable, "away") }, configuration: configuration,
            start: SweepPosition(part: 0), logger: .quiet
        )
        let shard = try #require(Int(BundleDirectory.shard(of: captures[0].id), radix: 16))
        await #expect(throws: StoreError(.unavailable, "")) {
            try await sweeper.step(from: SweepPosition(part: shard))
        }
        #expect(try await kept(captures, in: folder) == [true])
    }

    @Test func `a stop in the middle of a step is no fault`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(1, into: folder)
        let (isAsking, answer) = (Latch(), Latch())
        // What nobody knows is removed at once.
        var configuration = OrphanSweeper.Configuration(age: .zero, unknownAge: .zero)
        configuration.interval = .milliseconds(1)
        let sweeper = OrphanSweeper(
            bundles: folder.store, queue: MemoryCaptureQueue(time: Timestamp.systemTime),
            standings: { _ throws(StoreError) in
                isAsking.open()
                // No answer ever comes, and the call ends as a server's does when its task is cancelled.
                do { try await answer.waitUntilOpen() } catch { throw StoreError(.unavailable, "cancelled") }
                return [:]
            }, configuration: configuration,
            start: SweepPosition(part: try #require(Int(BundleDirectory.shard(of: captures[0].id), radix: 16))),
            logger: .quiet
        )
        let running = Task { try await sweeper.run() }
        try await isAsking.waitUntilOpen()
        running.cancel()
        try await running.value
        #expect(try await kept(captures, in: folder) == [true], "a question that was broken off has no answer")
    }
}
