import CaptureModel
import CaptureQueue
import Glibc
import NIOCore
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("A directory takes bytes in the place of others", .timeLimit(.minutes(2)))
struct BundleReplacementTests {
    private static let next = CaptureMedia(photo: ByteBuffer(bytes: [9, 8, 7]), depth: ByteBuffer(bytes: [6, 5]))

    /// A directory with a capture's bytes, and no steps yet.
    private func stored() async throws -> (folder: BundleFolder, capture: CaptureSubmission) {
        let folder = try await BundleFolder()
        let capture = SubmissionMaker.submission(seed: 1)
        try await folder.store.put(BundleFolder.media, of: capture)
        folder.reset()
        return (folder, capture)
    }

    @Test func `new bytes are on the disk before they get the old ones' name, and their names before replace returns`()
        async throws
    {
        let (folder, capture) = try await stored()
        try await folder.store.replace(Self.next, of: capture)
        let path = "\(BundleDirectory.shard(of: capture.id))/\(capture.id)"
        let files = [capture.photoFile, capture.depthFile].map { "\(path)/\($0)" }
        let perFile = files.flatMap { file -> [FileStep] in
            let partial = file + ".partial-1"
            return [.create(partial), .write(partial), .syncFile(partial), .rename(file)]
        }
        #expect(folder.steps == perFile + [.syncFolder(path)])
        #expect(folder.steps.count == Self.stepsOfReplace)
    }

    /// What one replacement asks of the file system: four steps for each file, the last of them its new name.
    private static let stepsOfReplace = 9

    @Test(arguments: 0..<stepsOfReplace)
    func `a replacement that fails at any step leaves each file whole, the old one or the new, and may be repeated`(
        step: Int
    ) async throws {
        let (folder, capture) = try await stored()
        folder.reset(failing: step, code: ENOSPC)
        await #expect(throws: QueueError(.unavailable, "")) { try await folder.store.replace(Self.next, of: capture) }
        let left = CaptureMedia(
            photo: step < 4 ? BundleFolder.media.photo : Self.next.photo,
            depth: step < 8 ? BundleFolder.media.depth : Self.next.depth)
        #expect(try await folder.store.fetch([capture]) == [.found(left)])
        try await folder.store.replace(Self.next, of: capture)
        #expect(try await folder.store.fetch([capture]) == [.found(Self.next)])
        try await folder.store.remove(capture)
        #expect(try folder.contents() == [])
    }
}
