package import Foundation

/// Directories for one run.
///
/// Short paths: a unix socket's path has room for 107 bytes.
package enum TemporaryDirectory {
    /// Makes a new one that any user may enter, since PostgreSQL may run as another user.
    package static func make(_ purpose: String) throws -> URL {
        let name = "cq-\(purpose)-\(UUID().uuidString.prefix(8).lowercased())"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755]
        )
        return url
    }
}
