package import Foundation

/// Real attestations and assertions, kept outside the project.
package enum Vectors {
    /// Where they are: `CAPTURE_VECTORS_DIR`, or `../shared/vectors` beside the package.
    package static let directory: URL = {
        if let path = ProcessInfo.processInfo.environment["CAPTURE_VECTORS_DIR"] { return URL(fileURLWithPath: path) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }()

    /// Whether they are there.
    ///
    /// Tests over them fail loudly when they are not.
    package static var areAvailable: Bool {
        FileManager.default.fileExists(atPath: directory.appendingPathComponent("index.json").path)
    }

    /// The bytes of one file.
    package static func data(_ name: String) throws -> Data {
        guard areAvailable else {
            throw LeashedProcess.Failure(
                description:
                    "NO TEST VECTORS at \(directory.path): set CAPTURE_VECTORS_DIR; verification is untested without"
            )
        }
        return try Data(contentsOf: directory.appendingPathComponent(name))
    }
}
