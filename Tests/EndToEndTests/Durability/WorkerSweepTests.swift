import CaptureModel
import Foundation
import TestSupport
import Testing

/// What is swept, and what stays, is shown by `OrphanSweeperTests`; the other tests of processes sweep for themselves.
@Suite("A worker sweeps the files", .timeLimit(.minutes(3)))
struct WorkerSweepTests {
    /// An age that bytes of twenty minutes, which are older than the default, do not reach during the test.
    private static let settings = ["CAPTURE_BUNDLES_ORPHAN_AGE": "30m"]

    @Test func `a worker removes bytes that belong to nobody once they are as old as its settings say`() async throws {
        let scene = try await FilesystemScene.set(settings: Self.settings)
        let old = try lay(0, in: scene, age: 3_600)
        let young = try lay(1, in: scene, age: 1_200)
        let worker = try scene.stack.worker()
        try await worker.line(containing: "removed bytes that belonged to no capture")
        #expect(old.contains { !isThere($0) })
        #expect(young.allSatisfy(isThere))
        try await worker.expectStop()
    }

    @Test func `without a ledger a worker marks bytes that nobody knows, and removes none of that age`() async throws {
        let scene = try await FilesystemScene.set(
            settings: Self.settings.merging(["CAPTURE_QUEUE_DURABILITY": "fsync"]) { $1 })
        let old = try lay(0, in: scene, age: 3_600)
        let young = try lay(1, in: scene, age: 1_200)
        let worker = try scene.stack.worker()
        func isMarked(_ folder: URL) -> Bool { isThere(folder.appending(path: "unknown")) }
        try await eventually { old.contains { isMarked($0) || !isThere($0) } }
        #expect(old.allSatisfy(isThere))
        #expect(young.allSatisfy { isThere($0) && !isMarked($0) })
        try await worker.expectStop()
    }

    private func isThere(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Puts bytes of a capture that nobody knows into each of the 256 folders, as a worker begins with any of them.
    /// - Parameters:
    ///   - number: Tells these captures from others.
    ///   - age: How long they have lain there, in seconds.
    /// - Returns: The captures' folders.
    private func lay(_ number: Int, in scene: FilesystemScene, age: TimeInterval) throws -> [URL] {
        try (0..<256).map { shard in
            let digits = String(shard + 256, radix: 16).suffix(2)
            let capture = try #require(CaptureID("01a1fc67-55f8-7b2b-980e-88715a91d\(number)\(digits)"))
            let folder = scene.directory.appending(path: "\(digits)/\(capture)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data("bytes".utf8).write(to: folder.appending(path: "photo.nobody"))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder.path)
            return folder
        }
    }
}
