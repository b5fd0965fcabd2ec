import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import Foundation
import Logging
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("A bundle directory belongs to one installation", .timeLimit(.minutes(2)))
struct BundleMarkTests {
    private let own = InstallationID(UUID())
    private let other = InstallationID(UUID())

    private func submission(_ seed: UInt64 = 1) -> CaptureSubmission {
        SubmissionMaker.submission(seed: seed)
    }

    /// A sweeper for which all bytes have lain long enough, and which knows none of them.
    private func sweeper(of folder: BundleFolder) -> OrphanSweeper {
        let configuration = OrphanSweeper.Configuration(age: .zero, unknownAge: .zero)
        return OrphanSweeper(
            bundles: folder.store, queue: MemoryCaptureQueue(time: Timestamp.systemTime),
            standings: { _ throws(StoreError) in [:] }, configuration: configuration, start: SweepPosition(part: 0),
            logger: .quiet)
    }

    private func part(of capture: CaptureSubmission) throws -> SweepPosition {
        SweepPosition(part: try #require(Int(BundleDirectory.shard(of: capture.id), radix: 16)))
    }

    @Test func `an empty mark counts as none, and is written by the next preparation`() async throws {
        let folder = try await BundleFolder(of: own)
        let capture = submission()
        try await folder.store.put(BundleFolder.media, of: capture)
        try folder.write(mark: "")
        #expect(try await folder.store.mark() == nil)
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.check() }
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.require(own) }
        for _ in 0..<2 { try await folder.store.prepare(for: own) }
        #expect(try folder.mark() == "1\n\(own)\n")
        #expect(try await folder.store.mark() == .of(own))
        try await folder.store.check()
        try await folder.store.require(own)
        #expect(try await folder.store.fetch([capture, submission(2)]) == [.found(BundleFolder.media), .missing])
    }

    @Test func `a new directory says whose it is from the beginning`() async throws {
        let directory = try TemporaryDirectory.make("bundles")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = FilesystemBundleStore(directory: directory.appending(path: "store").path)
        #expect(try await store.mark() == nil)
        await #expect(throws: QueueError(.unavailable, "")) { try await store.require(own) }
        try await store.prepare(for: own)
        #expect(try await store.mark() == .of(own))
    }

    @Test func `the directory of another installation is refused, and stays as it is`() async throws {
        let folder = try await BundleFolder(of: other)
        let unprepared = await #expect(throws: QueueError.self) { try await folder.store.prepare(for: own) }
        let untaken = await #expect(throws: QueueError.self) { try await folder.store.require(own) }
        for refused in [unprepared, untaken] {
            #expect(refused?.code == .refused && refused?.isTransient == false)
            for id in [own, other] { #expect(refused?.message.contains("\(id)") == true) }
        }
        #expect(try folder.mark() == "1\n\(other)\n")
    }

    @Test func `whatever step of writing the mark fails, it is the old one or the new`() async throws {
        // The parent's step and those of the 256 folders come before.
        for failing in 257..<263 {
            let folder = try await BundleFolder(of: own)
            try folder.write(mark: "")
            folder.reset(failing: failing, code: EIO)
            await #expect(throws: QueueError.self) { try await folder.store.prepare(for: own) }
            #expect(try ["", "1\n\(own)\n"].contains(folder.mark()), "step \(failing)")
            folder.reset()
            try await folder.store.prepare(for: own)
            #expect(try folder.mark() == "1\n\(own)\n")
        }
    }

    @Test func `of two installations that mark a new directory at once the second is refused`() async throws {
        let folder = try await BundleFolder()
        try folder.removeMark()
        let (hold, own) = (BundleFolder.Hold(), own)
        // After the steps of the parent, the 256 folders and the partial file: the one that gives it its name.
        folder.reset(holding: (261, hold))
        let late = Task { try await folder.store.prepare(for: own) }
        await hold.untilReached()
        #expect(folder.steps.last == .link(BundleDirectory.mark))
        try await FilesystemBundleStore(directory: folder.directory.path).prepare(for: other)
        hold.release()
        await #expect(throws: QueueError(.refused, "")) { try await late.value }
        #expect(try folder.mark() == "1\n\(other)\n")
        #expect(try folder.names().filter { $0.hasPrefix(BundleDirectory.mark) } == [BundleDirectory.mark])
    }

    @Test func `a file system without links has its first mark all the same`() async throws {
        let folder = try await BundleFolder()
        try folder.removeMark()
        folder.reset(failing: 261, code: EPERM)
        try await folder.store.prepare(for: own)
        #expect(try folder.mark() == "1\n\(own)\n")
        #expect(try folder.names().filter { $0.hasPrefix(BundleDirectory.mark) } == [BundleDirectory.mark])
    }

    /// As where the volume of another stack is mounted in its place while programs run.
    @Test func `nothing is swept, stored, marked, removed, called missing or ready in another's`() async throws {
        let folder = try await BundleFolder(of: own)
        let (theirs, ours) = (submission(1), submission(2))
        try await folder.store.require(own)
        try await folder.store.put(BundleFolder.media, of: theirs)
        try folder.write(mark: "1\n\(other)\n")
        let sweeper = sweeper(of: folder)
        for _ in 0..<2 {
            await #expect(throws: QueueError(.unavailable, "")) { try await sweeper.step(from: part(of: theirs)) }
        }
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.fetch([ours]) }
        await #expect(throws: QueueError(.unavailable, "")) {
            try await folder.store.put(BundleFolder.media, of: ours)
        }
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.removeSettled([theirs.id]) }
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.markUnknown([theirs.id]) }
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.prove() }
        let files = try folder.contents()
        #expect(files.count == 3, "\(files)")
        try folder.write(mark: "1\n\(own)\n")
        #expect(try await folder.store.fetch([ours]) == [.missing])
        _ = try await sweeper.step(from: part(of: theirs))
        #expect(try folder.contents() == [])
    }

    @Test func `nothing is swept while it does not say whose it is`() async throws {
        let folder = try await BundleFolder(of: own)
        let capture = submission()
        try await folder.store.require(own)
        try await folder.store.put(BundleFolder.media, of: capture)
        try folder.write(mark: "")
        await #expect(throws: QueueError(.unavailable, "")) {
            try await sweeper(of: folder).step(from: part(of: capture))
        }
        #expect(try await folder.store.fetch([capture]) == [.found(BundleFolder.media)])
        try await folder.store.prepare(for: own)
        _ = try await sweeper(of: folder).step(from: part(of: capture))
        #expect(try folder.contents() == [])
    }

    @Test(arguments: [
        "1\n", "2\n", "one", "1\nmine\n", "1\n2b1f6f5e-6f0a-4c5b-9b1e-0e2d3c4b5a69\nmore\n",
    ])
    func `a mark that is not as ours is refused, and stays as it is`(text: String) async throws {
        #expect(BundleMark(text: text) == .illegible)
        let folder = try await BundleFolder(of: own)
        try folder.write(mark: text)
        await #expect(throws: QueueError(.refused, "")) { try await folder.store.require(own) }
        await #expect(throws: QueueError(.refused, "")) { try await folder.store.prepare(for: own) }
        #expect(try folder.mark() == text)
    }
}
