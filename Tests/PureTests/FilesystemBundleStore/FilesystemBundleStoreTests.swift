import CaptureModel
import CaptureQueue
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("A directory keeps captures' bytes", .timeLimit(.minutes(2)))
struct FilesystemBundleStoreTests {
    private func submission(_ seed: UInt64 = 1) -> CaptureSubmission {
        SubmissionMaker.submission(seed: seed)
    }

    @Test func `bytes and every name on the way to them are on the disk before put returns`() async throws {
        let folder = try await BundleFolder()
        let capture = submission()
        try await folder.store.put(BundleFolder.media, of: capture)
        let shard = BundleDirectory.shard(of: capture.id)
        let path = "\(shard)/\(capture.id)"
        let files = [capture.photoFile, capture.depthFile].map { "\(path)/\($0)" }
        let perFile = files.flatMap { file -> [FileStep] in
            let partial = file + ".partial-1"
            return [.create(partial), .write(partial), .syncFile(partial), .rename(file)]
        }
        #expect(folder.steps == [.makeFolder(path)] + perFile + [.syncFolder(path), .syncFolder(shard)])
    }

    @Test func `a bundle directory tells which captures have no files, or unfinished ones only`() async throws {
        let folder = try await BundleFolder()
        let (whole, half, gone) = (submission(1), submission(2), submission(3))
        try await folder.store.put(BundleFolder.media, of: whole)
        try await folder.store.put(BundleFolder.media, of: half)
        let photo = folder.folder(of: half).appending(path: half.photoFile)
        try FileManager.default.moveItem(at: photo, to: photo.appendingPathExtension("partial-1"))
        #expect(try await folder.store.missing(of: [whole, half, gone].map(\.id)) == [half.id, gone.id])
    }

    @Test func `a bundle directory tells the room of its file system, and none if it was not prepared`() async throws {
        let folder = try await BundleFolder()
        let room = try await folder.store.room()
        #expect(room.takes(1) && !room.takes(.max), "\(room)")
        try FileManager.default.removeItem(at: folder.directory.appending(path: BundleDirectory.mark))
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.room() }
    }

    @Test func `a put that fails at any step says that it may succeed later, and does`() async throws {
        for failing in 0..<Self.stepsOfPut {
            let folder = try await BundleFolder()
            let capture = submission()
            folder.reset(failing: failing, code: ENOSPC)
            let error = await #expect(throws: QueueError.self) {
                try await folder.store.put(BundleFolder.media, of: capture)
            }
            #expect(error?.code == .unavailable && error?.message.contains("full") == true)
            try await folder.store.put(BundleFolder.media, of: capture)
            #expect(try await folder.store.fetch([capture]) == [.found(BundleFolder.media)])
            try await folder.store.remove(capture)
            #expect(try folder.contents() == [])
        }
    }

    @Test(arguments: 0..<stepsOfPut, [false, true])
    func `of two puts of one capture neither undoes the other, whatever becomes of it`(
        step: Int, isFailing: Bool
    ) async throws {
        let folder = try await BundleFolder()
        let capture = submission()
        let hold = BundleFolder.Hold()
        folder.reset(failing: isFailing ? step : nil, holding: (step, hold))
        let held = Task { try await folder.store.put(BundleFolder.media, of: capture) }
        await hold.untilReached()
        // Another gateway's: one program puts a capture once at a time.
        try await FilesystemBundleStore(directory: folder.directory.path).put(BundleFolder.media, of: capture)
        hold.release()
        switch await held.result {
        case .success: #expect(!isFailing)
        case .failure(let error): #expect(isFailing, "\(error)")
        }
        #expect(try await folder.store.fetch([capture]) == [.found(BundleFolder.media)])
    }

    /// What one put asks of the file system.
    private static let stepsOfPut = 11

    @Test(arguments: [
        (ENOSPC, QueueError.Code.unavailable), (EDQUOT, .unavailable), (EIO, .unavailable), (ESTALE, .unavailable),
        (EACCES, .refused), (EROFS, .unavailable),
    ])
    func `what may pass is told from what an operator must mend`(code: Int32, kind: QueueError.Code) async throws {
        let folder = try await BundleFolder()
        folder.reset(failing: 1, code: code)
        await #expect(throws: QueueError(kind, "")) {
            try await folder.store.put(BundleFolder.media, of: submission())
        }
    }

    @Test func `files are the owner's alone`() async throws {
        let folder = try await BundleFolder()
        let capture = submission()
        try await folder.store.put(BundleFolder.media, of: capture)
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        let place = folder.folder(of: capture)
        #expect(try mode(folder.directory) == 0o700 && mode(place) == 0o700)
        #expect(try mode(place.deletingLastPathComponent()) == 0o700)
        #expect(try mode(place.appending(path: capture.photoFile)) == 0o600)
        #expect(try mode(place.appending(path: capture.depthFile)) == 0o600)
    }

    @Test func `a link is never followed`() async throws {
        let folder = try await BundleFolder()
        let (capture, stolen) = (submission(1), submission(2))
        try await folder.store.put(BundleFolder.media, of: capture)
        let files = FileManager.default
        let photo = folder.folder(of: capture).appending(path: capture.photoFile)
        let elsewhere = folder.directory.deletingLastPathComponent().appending(path: "elsewhere")
        try files.createDirectory(at: elsewhere, withIntermediateDirectories: false)
        try files.moveItem(at: photo, to: elsewhere.appending(path: "photo"))
        try files.createSymbolicLink(at: photo, withDestinationURL: elsewhere.appending(path: "photo"))
        try files.createSymbolicLink(at: folder.folder(of: stolen), withDestinationURL: elsewhere)
        for fetched in try await folder.store.fetch([capture, stolen]) {
            guard case .unreadable = fetched else { throw LeashedProcess.Failure(description: "followed: \(fetched)") }
        }
        await #expect(throws: QueueError(.refused, "")) {
            try await folder.store.put(BundleFolder.media, of: stolen)
        }
        try await folder.store.removeSettled([capture.id])
        #expect(files.fileExists(atPath: elsewhere.appending(path: "photo").path))
    }

    @Test func `a directory that is not mounted is an outage, and no capture's loss`() async throws {
        let folder = try await BundleFolder()
        let capture = submission()
        try await folder.store.put(BundleFolder.media, of: capture)
        let away = folder.directory.deletingLastPathComponent().appending(path: "away")
        try FileManager.default.moveItem(at: folder.directory, to: away)
        for isThere in [false, true] {
            if isThere {
                try FileManager.default.createDirectory(at: folder.directory, withIntermediateDirectories: false)
            }
            await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.fetch([capture]) }
            let fault = await #expect(throws: QueueError.self) {
                try await folder.store.put(BundleFolder.media, of: submission(2))
            }
            #expect(fault?.code == .unavailable && fault?.description.hasPrefix("bundles unavailable: ") == true)
        }
        try FileManager.default.removeItem(at: folder.directory)
        try FileManager.default.moveItem(at: away, to: folder.directory)
        #expect(try await folder.store.fetch([capture]) == [.found(BundleFolder.media)])
    }

    @Test func `a file that was cut short is handed out as it is, for its digest to be checked`() async throws {
        let folder = try await BundleFolder()
        let capture = submission()
        try await folder.store.put(BundleFolder.media, of: capture)
        let photo = folder.folder(of: capture).appending(path: capture.photoFile)
        try Data([1, 2]).write(to: photo)
        #expect(try await folder.store.fetch([capture])[0].media?.photo == ByteBuffer(bytes: [1, 2]))
        try Data(repeating: 7, count: 1 << 20).write(to: photo)
        #expect(try await folder.store.fetch([capture])[0].media?.photo.readableBytes == capture.photoBytes)
    }

    @Test func `a call that hangs is answered in time, and none like it is begun before it is done`() async throws {
        var limits = FilesystemBundleStore.Limits()
        (limits.threads, limits.timeout) = (1, .seconds(2))
        let directory = try TemporaryDirectory.make("bundles")
        defer { try? FileManager.default.removeItem(at: directory) }
        let hang = DispatchSemaphore(value: 0)
        let store = FilesystemBundleStore(directory: directory.path, limits: limits) { _ in hang.wait() }
        await #expect(throws: QueueError(.outcomeUnknown, "")) {
            try await store.prepare(for: InstallationID(UUID()))
        }
        let fault = await #expect(throws: QueueError.self) { try await store.check() }
        #expect(fault?.message.contains("an earlier call") == true)
        for _ in 0..<600 { hang.signal() }
        try await eventually { (try? await store.check()) != nil }
    }

    @Test func `a directory may be prepared again and keeps what is in it`() async throws {
        let own = InstallationID(UUID())
        let folder = try await BundleFolder(of: own)
        let capture = submission()
        try await folder.store.put(BundleFolder.media, of: capture)
        try await folder.store.prepare(for: own)
        #expect(try await folder.store.fetch([capture]) == [.found(BundleFolder.media)])
    }

    @Test func `no file and no folder stays open, whatever becomes of a call`() async throws {
        let folder = try await BundleFolder()
        let capture = submission()
        let shard = try #require(BundleDirectory.shards.firstIndex(of: BundleDirectory.shard(of: capture.id)))
        // By the folder's own name: the tests beside this one have files open as well.
        let name = folder.directory.deletingLastPathComponent().lastPathComponent
        func open() throws -> [String] {
            let descriptors = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
            }.filter { $0.contains(name) }
        }
        let held = try FileHandle(forReadingFrom: folder.directory.appending(path: BundleDirectory.mark))
        #expect(try open().count == 1)
        try held.close()
        for failing in [nil] + (0..<Self.stepsOfPut).map(Optional.some) {
            folder.reset(failing: failing)
            try? await folder.store.put(BundleFolder.media, of: capture)
            folder.reset()
            _ = try await folder.store.fetch([capture])
            _ = try await folder.store.missing(of: [capture.id])
            try await folder.store.markUnknown([capture.id])
            _ = try await folder.store.untouched(for: .zero, after: SweepPosition(part: shard), limit: 9)
            try await folder.store.prove()
            try await folder.store.remove(capture)
            #expect(try open() == [])
        }
    }
}
