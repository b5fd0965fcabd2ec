package import Foundation

/// Knows what a child process has had written to the disk, and cuts off the rest as a power cut would.
///
/// `kill -9` proves nothing about a disk: the page cache survives it. See `Tests/Shims/fsync-recorder.c`.
package final class FsyncRecorder: Sendable {
    /// What the child is started with.
    package let environment: [String: String]
    private let directory: URL
    private let record: URL
    private let holdFile: URL

    /// Compiled by the toolchain's own clang, once for a test run, and untouched by the sanitizers of the tests.
    private static let library = Once<LeashedDirectory> {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Shims/fsync-recorder.c").path
        let home = try LeashedDirectory("shim")
        let library = FsyncRecorder.file(in: home)
        let result = try await LeashedProcess.run(
            "clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"])
        guard result.exitCode == 0 else { throw LeashedProcess.Failure(description: "clang: \(result.output)") }
        return home
    }

    private static func file(in home: LeashedDirectory) -> String { home.url.appending(path: "fsync-recorder.so").path }

    /// Makes a recorder for one child or several.
    package init() async throws {
        directory = try TemporaryDirectory.make("fsync")
        record = directory.appending(path: "record")
        holdFile = directory.appending(path: "hold")
        let library = try await Self.library.value()
        environment = [
            "LD_PRELOAD": Self.file(in: library), "FSYNC_RECORD": record.path, "FSYNC_HOLD": holdFile.path,
        ]
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Makes the disk take its time: no file's bytes reach it before ``release()``.
    package func hold() throws { try Data().write(to: holdFile) }

    /// Whether the child waits for the disk that is held.
    package func isHolding() throws -> Bool { try lines().last?.hasPrefix("h ") ?? false }

    /// Everything recorded so far, one line for each call.
    package func lines() throws -> [String] {
        guard FileManager.default.fileExists(atPath: record.path) else { return [] }
        return try String(contentsOf: record, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// How much of each file is on the disk at this moment, by inode.
    package func synced() throws -> [UInt64: UInt64] {
        var synced: [UInt64: UInt64] = [:]
        for line in try lines() where line.hasPrefix("f ") {
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count >= 3, let inode = UInt64(words[1]), let bytes = UInt64(words[2]) else { continue }
            synced[inode] = max(bytes, synced[inode] ?? 0)
        }
        return synced
    }

    /// Cuts every file below a folder to what was on the disk; returns how many bytes were cut off.
    package static func cutPower(of folder: URL, keeping synced: [UInt64: UInt64]) throws -> UInt64 {
        var lost: UInt64 = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let path = folder.appending(path: name).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                let inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value,
                let size = (attributes[.size] as? NSNumber)?.uint64Value
            else { continue }
            let kept = min(size, synced[inode] ?? 0)
            guard truncate(path, off_t(kept)) == 0 else {
                throw LeashedProcess.Failure(description: "truncate \(path)")
            }
            lost += size - kept
        }
        return lost
    }
}
