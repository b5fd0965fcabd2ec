import Foundation
package import PrivateServers

extension PrivateRedis {
    /// Loads a function library in place of the one that is there, and returns its name.
    ///
    /// From a file, as the source is longer than an argument may be (128 KiB on Linux).
    @discardableResult
    package func load(functions source: String) async throws -> String {
        let folder = try TemporaryDirectory.make("functions")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("library.lua")
        try source.write(to: file, atomically: false, encoding: .utf8)
        let script = #"file=$1; shift; exec redis-cli "$@" -e -x FUNCTION LOAD REPLACE <"$file""#
        let run = try await LeashedProcess.run("/bin/sh", ["-c", script, "sh", file.path] + cliAddress)
        guard run.exitCode == 0 else { throw LeashedProcess.Failure(description: "FUNCTION LOAD: \(run.output)") }
        return run.output
    }
}
