import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import Foundation
import Logging
import Observability
import Synchronization
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("What cannot be removed or read keeps no other bytes from being swept", .timeLimit(.minutes(2)))
struct OrphanSweepFaultTests {
    private let log = LogRecorder(from: .notice)

    /// A sweeper for which all bytes have lain long enough, with a queue that knows none of them.
    private func sweeper(
        of folder: BundleFolder, interval: Duration = .seconds(10), outage: OutageLog? = nil, logger: Logger? = nil,
        standings: @escaping RecordedStanding.Reader = {
            _ throws(StoreError) in [:]
        }
    ) -> OrphanSweeper {
        var configuration = OrphanSweeper.Configuration(age: .zero, unknownAge: .zero)
        configuration.interval = interval
        return OrphanSweeper(
            bundles: folder.store, queue: MemoryCaptureQueue(time: Timestamp.systemTime), standings: standings,
            configuration: configuration, start: SweepPosition(part: 0), outage: outage,
            logger: logger ?? log.logger
        )
    }

    /// Stores captures in the folders of the given parts, in the order of their names.
    private func put(inParts parts: [Int], of folder: BundleFolder) async throws -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 5)
        let device = maker.device()
        var captures: [CaptureSubmission] = []
        for (number, part) in parts.enumerated() {
            let digits = "\(number)\(BundleDirectory.shards[part])"
            let id = try #require(CaptureID("01a1fc67-55f8-7b2b-980e-88715a91d\(digits)"))
            captures.append(maker.submission(of: device, id: id))
            try await folder.store.put(BundleFolder.media, of: captures[number])
        }
        return captures
    }

    private func isThere(_ captures: [CaptureSubmission], in folder: BundleFolder) -> [Bool] {
        captures.map { FileManager.default.fileExists(atPath: folder.folder(of: $0).path) }
    }

    @Test(arguments: [EIO, EACCES, EISDIR])
    func `a folder that cannot be removed is told and passed by, and tried again when the sweep has come round`(
        code: Int32
    ) async throws {
        let folder = try await BundleFolder(limits: .oneThread)
        let captures = try await put(inParts: [0, 0, 0], of: folder)
        let sweeper = sweeper(of: folder)
        // The page's two steps come first, then three for each capture; the first of the second capture's fails.
        folder.reset(failing: 2 + 3, code: code)
        #expect(try await sweeper.step(from: SweepPosition(part: 0)) == SweepPosition(part: 1))
        #expect(isThere(captures, in: folder) == [false, true, false])
        #expect(log.lines == ["warning bytes that belong to no capture cannot be removed"])
        _ = try await sweeper.step(from: SweepPosition(part: 0))
        #expect(isThere(captures, in: folder) == [false, false, false])
        #expect(log.lines.dropFirst() == ["notice removed bytes that belonged to no capture"])
    }

    @Test(arguments: [EIO, EACCES])
    func `a folder of captures that cannot be read is told and passed by`(code: Int32) async throws {
        let folder = try await BundleFolder()
        let captures = try await put(inParts: [0, 1], of: folder)
        let sweeper = sweeper(of: folder)
        // The first step tells the time, the second reads the names.
        folder.reset(failing: 1, code: code)
        #expect(try await sweeper.step(from: SweepPosition(part: 0)) == SweepPosition(part: 1))
        #expect(log.lines == ["warning a folder that cannot be read is not swept"])
        #expect(try await sweeper.step(from: SweepPosition(part: 1)) == SweepPosition(part: 2))
        #expect(isThere(captures, in: folder) == [true, false])
    }

    @Test func `a missing folder of captures keeps no other from being swept`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(inParts: [1], of: folder)
        try FileManager.default.removeItem(at: folder.directory.appending(path: BundleDirectory.shards[0]))
        let sweeper = sweeper(of: folder)
        #expect(try await sweeper.step(from: SweepPosition(part: 0)) == SweepPosition(part: 1))
        #expect(try await sweeper.step(from: SweepPosition(part: 1)) == SweepPosition(part: 2))
        #expect(isThere(captures, in: folder) == [false])
    }

    @Test func `a folder in a capture's folder stays, and nothing stays because of it`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(inParts: [0, 0, 0, 1], of: folder)
        let foreign = folder.folder(of: captures[1]).appending(path: "@eaDir")
        try FileManager.default.createDirectory(at: foreign, withIntermediateDirectories: false)
        let sweeper = sweeper(of: folder)
        var position = SweepPosition(part: 0)
        repeat { position = try await sweeper.step(from: position) } while position != SweepPosition(part: 0)
        #expect(try folder.contents() == ["00/\(captures[1].id)", "00/\(captures[1].id)/@eaDir"])
        #expect(log.lines.count { $0.hasPrefix("warning") } == 1, "told once a round")
    }

    @Test func `a row that cannot be read keeps only its own bytes`() async throws {
        let folder = try await BundleFolder()
        let captures = try await put(inParts: [0, 0, 0, 1], of: folder)
        let sweeper = sweeper(of: folder) { [unreadable = captures[1].id] asked throws(StoreError) in
            if asked.contains(unreadable) { throw StoreError(.malformedRow, "no device") }
            return [:]
        }
        #expect(try await sweeper.step(from: SweepPosition(part: 0)) == SweepPosition(part: 1))
        #expect(
            log.lines == [
                "warning bytes are not swept whose capture ledger or record cannot tell of",
                "notice removed bytes that belonged to no capture",
            ])
        #expect(try await sweeper.step(from: SweepPosition(part: 1)) == SweepPosition(part: 2))
        #expect(isThere(captures, in: folder) == [false, true, false, false])
    }

    /// A queue that has jobs of which no status can be made.
    private struct UnreadableJobs: ForwardingQueue, SweepQueue {
        let memory: MemoryCaptureQueue

        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] { captures.map { _ in nil } }
        func knows(_ captures: [CaptureID]) async throws(QueueError) -> [Bool] { try await memory.knows(captures) }
    }

    @Test func `a job that cannot be read keeps its bytes, and only these`() async throws {
        let folder = try await BundleFolder()
        // The first has a job only, the second nothing; the third has a job and its result.
        let captures = try await put(inParts: [0, 0, 0], of: folder)
        let queue = UnreadableJobs(memory: MemoryCaptureQueue(time: Timestamp.systemTime))
        for place in [0, 2] { #expect(try await queue.enqueue(captures[place]) == .accepted) }
        let settled = captures[2].id
        let configuration = OrphanSweeper.Configuration(age: .zero, unknownAge: .zero)
        let sweeper = OrphanSweeper(
            bundles: folder.store, queue: queue, standings: { _ throws(StoreError) in [settled: .settled] },
            configuration: configuration, start: SweepPosition(part: 0), logger: log.logger)
        #expect(try await sweeper.step(from: SweepPosition(part: 0)) == SweepPosition(part: 1))
        #expect(isThere(captures, in: folder) == [true, false, false])
    }

    /// Its worker may have no capture to fetch for hours.
    @Test func `a directory that is there again is told to be there, and one that is not is not`() async throws {
        let folder = try await BundleFolder()
        let outage = OutageLog(.bundles, logger: .quiet, calm: .zero)
        outage.away("not mounted")
        let sweeper = sweeper(of: folder, outage: outage)
        let mark = folder.directory.appending(path: BundleDirectory.mark)
        let aside = folder.directory.appending(path: "aside")
        try FileManager.default.moveItem(at: mark, to: aside)
        await #expect(throws: QueueError.self) { try await sweeper.step(from: SweepPosition(part: 0)) }
        #expect(outage.isAway)
        try FileManager.default.moveItem(at: aside, to: mark)
        _ = try await sweeper.step(from: SweepPosition(part: 0))
        #expect(!outage.isAway)
    }

    @Test(arguments: [StoreError(.unavailable, "away"), StoreError(.refused, "no permission", scope: .everybody)])
    func `a record that cannot be asked at all is waited for`(fault: StoreError) async throws {
        let folder = try await BundleFolder()
        let captures = try await put(inParts: [0], of: folder)
        let sweeper = sweeper(of: folder) { _ throws(StoreError) in throw fault }
        await #expect(throws: fault) { try await sweeper.step(from: SweepPosition(part: 0)) }
        #expect(isThere(captures, in: folder) == [true])
    }

    @Test func `a record that cannot be asked is told once, and once that it can be again`() async throws {
        let (folder, log) = (try await BundleFolder(), LogRecorder(from: .info))
        _ = try await put(inParts: [0, 1], of: folder)
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let faults = Mutex(3)
        let sweeper = sweeper(of: folder, interval: .milliseconds(1), logger: log.logger) { _ throws(StoreError) in
            asking.yield()
            let isAway = faults.withLock { faults -> Bool in
                defer { faults -= 1 }
                return faults > 0
            }
            if isAway { throw StoreError(.unavailable, "away") }
            return [:]
        }
        let running = Task { try await sweeper.run() }
        var count = 0
        for await _ in asked {
            count += 1
            // The fourth step was answered, and the fifth comes to the next folder.
            if count == 5 { break }
        }
        running.cancel()
        try await running.value
        let told = log.lines.filter { $0.contains("looked for") }
        #expect(told == ["info orphans are not looked for", "info orphans are looked for again"])
    }
}
