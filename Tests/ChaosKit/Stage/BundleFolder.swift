import Foundation
import Synchronization
import TestSupport

/// The folder in which the programs of a run keep the bytes of captures.
final class BundleFolder: Sendable {
    private let path: String
    private let seen = Mutex(false)

    /// Names a folder, which is there once the run's servers are brought to this release.
    init(path: String) {
        self.path = path
    }

    /// Whether some capture had its bytes here while somebody watched.
    var wasUsed: Bool { seen.withLock { $0 } }

    /// Looks until some capture has its bytes here.
    func watch() async throws {
        while try !holdsCapture() { try await letTimePass(.milliseconds(50)) }
        seen.withLock { $0 = true }
    }

    /// Whatever lies here, however deep, but the folder's mark and the folders that it was prepared with.
    func remains() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0 != Self.mark && !Self.isShard($0) }
    }

    /// Has it swept as the workers do.
    func sweep(redis: String, postgres: String, partitions: Int) async throws {
        try await Sweep(directory: path, redis: redis, postgres: postgres, partitions: partitions).run()
    }

    private static let mark = "capture-bundles"

    /// Whether it is one of those that captures' folders lie in.
    private static func isShard(_ path: String) -> Bool { path.utf8.count == 2 && UInt8(path, radix: 16) != nil }

    /// Only what stays is gone through: captures' own folders may go meanwhile.
    private func holdsCapture() throws -> Bool {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: path).filter(Self.isShard).contains { shard in
            try !files.contentsOfDirectory(atPath: "\(path)/\(shard)").isEmpty
        }
    }
}
