import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import Logging
import NIOCore
import Testing
import TestSupport
import Waiting

@testable import FilesystemBundleStore

@Suite("Files that do not answer", .timeLimit(.minutes(5)))
struct HangingFilesTests {
    private let media = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))

    /// Stored captures of as many devices as asked for, in turn.
    private func put(_ count: Int, devices: Int = 1, in files: HangingFiles) async throws -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 3)
        let devices = (0..<devices).map { _ in maker.device() }
        var captures: [CaptureSubmission] = []
        for number in 0..<count {
            let device = devices[number % devices.count]
            captures.append(maker.submission(of: device, photoBytes: 1, depthBytes: 1, bundleStore: .filesystem))
            try await files.put(media, of: captures[number])
        }
        return captures
    }

    @Test
    func `files that do not answer are their capture's fault, cost one thread, and are read again once they answer`()
        async throws
    {
        let files = try await HangingFiles(threads: 8)
        let captures = try await put(3, in: files)
        let name = "\(captures[0].id)"
        files.hang(name)
        let silent = FetchedMedia.unreadable("the capture's files do not answer")
        #expect(try await files.store.fetch(captures) == [silent, .found(media), .found(media)])
        // Far more often than there are threads.
        let again = Array(repeating: captures[0], count: FileThreads.sparesMax + 9)
        #expect(try await files.store.fetch(again) == Array(repeating: silent, count: again.count))
        await #expect(throws: QueueError(.outcomeUnknown, "")) { try await files.store.put(media, of: captures[0]) }
        #expect(files.reached(name) == 1)
        files.release()
        try await eventually { try await files.store.fetch([captures[0]]) == [.found(media)] }
    }

    /// The directory itself is found all the while: the kernel remembers it.
    @Test(arguments: [false, true])
    func `files that do not answer are nobody's fault on a disk that does not answer either`(areAll: Bool) async throws
    {
        let files = try await HangingFiles(threads: 2)
        let captures = try await put(3, in: files)
        try await files.store.check()
        let name = areAll ? "read" : "\(captures[0].id)"
        files.hang(name, "stamp")
        for _ in 0..<8 {
            await #expect(throws: QueueError(.outcomeUnknown, "")) { try await files.store.fetch(captures) }
        }
        #expect(files.reached("stamp") == 1)
        files.release()
        let whole = Array(repeating: FetchedMedia.found(media), count: captures.count)
        try await eventually { (try? await files.store.fetch(captures)) == whole }
    }

    @Test func `files that do not answer are found if they and the disk answer late`() async throws {
        let files = try await HangingFiles(threads: 2)
        let captures = try await put(5, in: files)
        files.hang("read", "stamp")
        let fetch = Task { [store = files.store] in try await store.fetch(captures) }
        // The disk is asked only when the reads count as hanging.
        try await eventually { files.reached("stamp") == 1 }
        files.release()
        #expect(try await fetch.value == Array(repeating: FetchedMedia.found(media), count: captures.count))
    }

    @Test func `files that do not answer keep no other capture from being removed`() async throws {
        let files = try await HangingFiles()
        let captures = try await put(4, in: files)
        let name = "\(captures[1].id)"
        files.hang(name)
        for batch in [Array(captures.prefix(3)), [captures[3], captures[1]]] {
            await #expect(throws: QueueError(.outcomeUnknown, "")) {
                try await files.store.removeSettled(batch.map(\.id))
            }
        }
        #expect(files.reached(name) == 1, "one thread")
        let others = [captures[0], captures[2], captures[3]]
        #expect(try await files.store.fetch(others) == [.missing, .missing, .missing])
        files.release()
        try await eventually { (try? await files.store.removeSettled([captures[1].id])) != nil }
        #expect(try await files.store.fetch([captures[1]]) == [.missing])
    }

    @Test func `files that do not answer keep nobody waiting who is told to stop`() async throws {
        let files = try await HangingFiles(timeout: .seconds(50))
        let captures = try await put(3, in: files)
        let names = captures.map { "\($0.id)" }
        files.hang(names[0], names[1], names[2])
        let fetch = Task { [store = files.store] in try await store.fetch(captures) }
        try await eventually { names.contains { files.reached($0) == 1 } }
        fetch.cancel()
        await #expect(throws: QueueError(.outcomeUnknown, "")) { try await fetch.value }
        #expect(names.count { files.reached($0) > 0 } == 1, "no other was begun")
        files.release()
        // A read that nobody waits for any more gives its thread back.
        #expect(try await files.store.fetch(captures) == Array(repeating: .found(media), count: captures.count))
    }

    @Test(.timeLimit(.minutes(1)))
    func `files that do not answer keep nobody waiting for the fault that ends their batch`() async throws {
        let files = try await HangingFiles(threads: 2, timeout: .seconds(600))
        let captures = try await put(3, in: files)
        files.hang("\(captures[0].id)", "\(captures[2].id)")
        files.refuse("\(captures[1].id)")
        let fault = await #expect(throws: QueueError(.unavailable, "")) { try await files.store.fetch(captures) }
        #expect(fault?.message.hasPrefix("this program cannot use the bundle directory: ") == true)
        #expect(files.reached("\(captures[2].id)") == 0, "no other was begun")
        files.release()
    }

    @Test func `files that do not answer keep no other folder from being swept, and are told once a round`()
        async throws
    {
        let files = try await HangingFiles()
        let name = "\(FileStep.list("00"))"
        files.hang(name)
        let log = LogRecorder(from: .notice)
        let sweeper = OrphanSweeper(
            bundles: files.store, queue: MemoryCaptureQueue(time: Timestamp.systemTime),
            standings: { _ throws(StoreError) in [:] },
            configuration: OrphanSweeper.Configuration(age: .seconds(900), unknownAge: .seconds(900)),
            start: SweepPosition(part: 0), logger: log.logger)
        for round in 1...2 {
            var position = SweepPosition(part: 0)
            repeat { position = try await sweeper.step(from: position) } while position != SweepPosition(part: 0)
            #expect(log.lines == Array(repeating: "warning a folder that cannot be read is not swept", count: round))
        }
        #expect(files.reached(name) == 1)
        // On a disk that does not answer either, the sweep stays where it is.
        files.hang(name, "stamp")
        await #expect(throws: QueueError(.outcomeUnknown, "")) {
            try await files.store.untouched(for: .zero, after: SweepPosition(part: 0), limit: 10)
        }
        files.release()
    }

    @Test func `files that do not answer cost their capture its attempts, and no other capture anything`() async throws
    {
        let files = try await HangingFiles(threads: 2)
        let captures = try await put(16, devices: 8, in: files)
        files.hang("\(captures[0].id)")
        var limits = MemoryCaptureQueue.Configuration()
        limits.leaseDuration = .seconds(600)
        let queue = MemoryCaptureQueue(configuration: limits, time: Timestamp.systemTime)
        for capture in captures { #expect(try await queue.enqueue(capture) == .accepted) }
        try await withWorker(
            of: queue, bundles: files.store, store: MemoryCaptureStore(time: Timestamp.systemTime),
            now: Timestamp.systemTime
        ) {
            $0.attemptsMax = 2
            $0.retryBackoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        } _: {
            // Nobody knows their devices, which is a verdict like any other.
            try await eventually {
                let states = try await queue.status(of: captures.map(\.id)).map { $0?.state }
                return states[0] == .failed && states.dropFirst().allSatisfy { $0 == .rejected }
            }
            let letter = try #require(try await queue.deadLetter(captures[0].id))
            #expect(letter.status.attempts == 2 && letter.status.fault == "the capture's files do not answer")
            let others = captures.filter { $0.device != captures[0].device }.map(\.id)
            let attempts = try await queue.status(of: others).map { $0?.attempts }
            #expect(attempts == others.map { _ in 1 })
        }
        files.release()
    }
}
