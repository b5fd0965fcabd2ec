import CaptureModel
import ChaosKit
import Foundation
import RedisCaptureQueue
import TestSupport
import Testing

/// A stack whose bytes are in files.
struct FilesystemScene: Sendable {
    let stack: Stack
    /// What the directory is in; gone with the scene.
    let home: LeashedDirectory

    var directory: URL { home.url.appending(path: "store") }

    static func set(redis arguments: [String] = [], settings: [String: String] = [:]) async throws -> FilesystemScene {
        let home = try LeashedDirectory("bundles")
        let redis = try await PrivateRedis.start(arguments)
        let own = [
            "CAPTURE_BUNDLES_STORE": "filesystem",
            "CAPTURE_BUNDLES_DIRECTORY": home.url.appending(path: "store").path,
        ]
        let stack = try await Stack.start(settings: own.merging(settings) { $1 }, redis: redis)
        return FilesystemScene(stack: stack, home: home)
    }

    /// The files of a capture.
    func files(of capture: CaptureID) throws -> [URL] {
        let shard = capture.description.suffix(2)
        let folder = directory.appending(path: "\(shard)/\(capture)")
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }

    /// Expects that no capture has a folder any more, once a sweep by the workers' rules has been there.
    ///
    /// At once instead of after `bundles.orphanAge`; for when nobody uploads any more. That workers sweep is shown by
    /// `WorkerSweepTests`.
    func expectSwept(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await Sweep(
            directory: directory.path, redis: stack.redis.url, postgres: stack.database,
            partitions: stack.keyspace.partitions
        ).run()
        #expect(try folders() == [], sourceLocation: sourceLocation)
    }

    /// The folders of captures.
    func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.count == 2 }.flatMap { shard in
            try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: shard).path)
        }
    }
}
