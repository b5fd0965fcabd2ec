package import Foundation

/// The project's own files, for tests that hold one against the other.
package enum Repository {
    /// Where the package is.
    package static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The text of a file.
    package static func text(_ path: String) throws -> String {
        try String(contentsOf: directory.appendingPathComponent(path), encoding: .utf8)
    }

    /// Where a program is: on the path, or where `Config/local/install.sh` has put it.
    package static func program(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
        return (folders + [directory.appendingPathComponent(".local/tools").path]).map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
