import CaptureModel
import Foundation
import TestSupport

/// A stack whose bytes are in files.
struct FilesystemScene: Sendable {
    let stack: Stack
    let directory: URL

    static func set(redis arguments: [String] = []) async throws -> FilesystemScene {
        let directory = try TemporaryDirectory.make("bundles").appending(path: "store")
        let redis = try await PrivateRedis.start(arguments)
        let stack = try await Stack.start(
            settings: ["CAPTURE_BUNDLES_STORE": "filesystem", "CAPTURE_BUNDLES_DIRECTORY": directory.path], redis: redis
        )
        return FilesystemScene(stack: stack, directory: directory)
    }

    /// The files of a capture.
    func files(of capture: CaptureID) throws -> [URL] {
        let shard = capture.description.suffix(2)
        let folder = directory.appending(path: "\(shard)/\(capture)")
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }
}
