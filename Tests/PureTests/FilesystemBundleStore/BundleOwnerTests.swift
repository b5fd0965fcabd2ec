import CaptureModel
import CaptureQueue
import Foundation
import Glibc
import Testing

@testable import FilesystemBundleStore

/// Workers run as its owner, and root may have prepared it.
@Suite("What is in a bundle directory is its owner's", .timeLimit(.minutes(2)))
struct BundleOwnerTests {
    private let own = InstallationID(UUID())

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `what root makes in a directory belongs to the directory's owner`() async throws {
        let folder = try await BundleFolder(of: own)
        try FileManager.default.removeItem(at: folder.directory.appending(path: "00"))
        try folder.write(mark: "")
        try folder.give(to: 12_345)
        try await folder.store.prepare(for: own)
        #expect(try folder.mark() == "1\n\(own)\n")
        for name in [BundleDirectory.mark, "00"] { #expect(try folder.owner(of: name) == [12_345, 12_345]) }
        try folder.removeMark()
        try await folder.store.prepare(for: own)
        #expect(try folder.owner(of: BundleDirectory.mark) == [12_345, 12_345])
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `what an earlier root left to itself in a directory is given to the directory's owner`() async throws {
        let folder = try await BundleFolder(of: own)
        try folder.give(to: 12_345)
        try folder.give("7f", to: 0)
        folder.reset()
        try await folder.store.prepare(for: own)
        #expect(folder.steps.filter { $0 == .give("7f") }.count == 1)
        for shard in BundleDirectory.shards {
            #expect(try folder.owner(of: shard) == [12_345, 12_345], "\(shard)")
        }
        // As NFS answers root: after the steps of the parent and of 128 folders, this one cannot be given away.
        try folder.give("7f", to: 0)
        folder.reset(failing: 129, code: EPERM)
        let fault = await #expect(throws: QueueError.self) { try await folder.store.prepare(for: own) }
        #expect(folder.steps.last == .give("7f"))
        #expect(fault?.code == .refused && fault?.message.contains("12345") == true, "\(fault?.message ?? "")")
        #expect(try folder.names().contains("7f"), "it was there before")
        folder.reset()
        try await folder.store.prepare(for: own)
        #expect(try folder.owner(of: "7f") == [12_345, 12_345])
        #expect(!folder.steps.contains(.give("00")), "what is the owner's is left alone")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `whoever may not give the mark to its owner leaves the old one, and is told who may`() async throws {
        let folder = try await BundleFolder(of: own)
        try folder.write(mark: "")
        try folder.give(to: 12_345)
        // As NFS answers root: after the partial file's bytes, it cannot be given away.
        folder.reset(failing: 260, code: EPERM)
        let fault = await #expect(throws: QueueError.self) { try await folder.store.prepare(for: own) }
        #expect(folder.steps.last.map { "\($0)" }?.contains("give") == true, "\(folder.steps.suffix(3))")
        #expect(fault?.code == .refused)
        for user in ["12345", "root (0)"] { #expect(fault?.message.contains(user) == true, "\(fault?.message ?? "")") }
        #expect(try folder.mark() == "")
        #expect(try folder.names().filter { $0.hasPrefix(BundleDirectory.mark) } == [BundleDirectory.mark])
    }
}
