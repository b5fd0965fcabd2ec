public import Foundation

/// The project's own files, for tests that hold one against the other.
public enum Repository {
    /// Where the package is.
    public static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The text of a file.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: directory.appendingPathComponent(path), encoding: .utf8)
    }

    /// Prometheus's own checker: where it is installed, or where `Config/local/install.sh` has put it.
    public static let promtool: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + [directory.appendingPathComponent(".local/tools").path]).map { $0 + "/promtool" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()
}
