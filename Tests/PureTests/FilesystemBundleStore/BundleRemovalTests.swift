import CaptureModel
import CaptureQueue
import Foundation
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("A directory loses the bytes of settled captures", .timeLimit(.minutes(2)))
struct BundleRemovalTests {
    private func submission(_ seed: UInt64) -> CaptureSubmission {
        SubmissionMaker.submission(seed: seed)
    }

    @Test(arguments: 0..<3)
    func `a capture that cannot be removed keeps none of the others`(step: Int) async throws {
        let folder = try await BundleFolder(limits: .oneThread)
        let captures = [submission(1), submission(2), submission(3)]
        for capture in captures { try await folder.store.put(BundleFolder.media, of: capture) }
        // A removal takes three steps, two files and their folder; one of the second capture's fails.
        folder.reset(failing: 3 + step, code: EIO)
        let fault = await #expect(throws: QueueError.self) {
            try await folder.store.removeSettled(captures.map(\.id))
        }
        #expect(fault?.code == .unavailable)
        #expect(fault?.message.contains("1 of 3 captures cannot be removed, first \(captures[1].id)") == true)
        let files = FileManager.default
        #expect(captures.map { files.fileExists(atPath: folder.folder(of: $0).path) } == [false, true, false])
        #expect(try await folder.store.fetch([captures[1]]) == [.missing], "its other file is gone")
        try await folder.store.removeSettled(captures.map(\.id))
        #expect(try folder.contents() == [])
    }

    @Test func `a directory that goes away ends the removal of captures`() async throws {
        let folder = try await BundleFolder(limits: .oneThread)
        let captures = [submission(1), submission(2)]
        for capture in captures { try await folder.store.put(BundleFolder.media, of: capture) }
        let hold = BundleFolder.Hold()
        folder.reset(holding: (0, hold))
        let removal = Task { try await folder.store.removeSettled(captures.map(\.id)) }
        await hold.untilReached()
        let away = folder.directory.deletingLastPathComponent().appending(path: "away")
        try FileManager.default.moveItem(at: folder.directory, to: away)
        hold.release()
        await #expect(throws: QueueError(.unavailable, "")) { try await removal.value }
        try FileManager.default.moveItem(at: away, to: folder.directory)
        #expect(try await folder.store.fetch(captures) == [.missing, .found(BundleFolder.media)])
    }
}
