import CaptureModel
import CaptureQueue
import Foundation
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("A program that lacks file descriptors or memory", .timeLimit(.minutes(2)))
struct FileShortageTests {
    private func submissions(_ count: Int) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 1)
        let device = maker.device()
        return (0..<count).map { _ in maker.submission(of: device) }
    }

    /// The store of a program that fails whenever it is to read a capture's files.
    private func store(of folder: BundleFolder, failing code: Int32) -> FilesystemBundleStore {
        FilesystemBundleStore(directory: folder.directory.path) { step throws(FileFault) in
            if case .read = step { throw FileFault(call: "openat", code: code) }
        }
    }

    /// The disk answers all the while.
    @Test(arguments: [EMFILE, ENFILE, ENOMEM])
    func `a program that lacks what any file needs blames no capture for it`(code: Int32) async throws {
        let folder = try await BundleFolder()
        let capture = submissions(1)[0]
        try await folder.store.put(BundleFolder.media, of: capture)
        let store = store(of: folder, failing: code)
        let fault = await #expect(throws: QueueError.self) { try await store.fetch([capture]) }
        #expect(fault?.code == .unavailable && fault?.server == .bundles)
        #expect(fault?.message.hasPrefix("this program cannot use the bundle directory: ") == true)
        #expect(try await folder.store.fetch([capture]) == [.found(BundleFolder.media)])
    }

    @Test func `files that cannot be read for another reason are still their capture's fault`() async throws {
        let folder = try await BundleFolder()
        let capture = submissions(1)[0]
        try await folder.store.put(BundleFolder.media, of: capture)
        let fetched = try await store(of: folder, failing: EIO).fetch([capture])
        #expect(fetched == [.unreadable("the capture's files cannot be read: Input/output error (openat)")])
    }

    @Test func `a program that lacks descriptors stops removing, and blames no capture`() async throws {
        let folder = try await BundleFolder(limits: .oneThread)
        let captures = submissions(2)
        for capture in captures { try await folder.store.put(BundleFolder.media, of: capture) }
        folder.reset(failing: 0, code: EMFILE)
        let fault = await #expect(throws: QueueError.self) {
            try await folder.store.removeSettled(captures.map(\.id))
        }
        #expect(fault?.message.hasPrefix("this program cannot use the bundle directory: ") == true)
        let files = FileManager.default
        #expect(captures.allSatisfy { files.fileExists(atPath: folder.folder(of: $0).path) })
        try await folder.store.removeSettled(captures.map(\.id))
        #expect(try folder.contents() == [])
    }
}
