import Foundation
import TestSupport

/// `Config/local/stack.sh`, which `make run` and `make up` are made of.
enum StackScript {
    private static let path = Repository.directory.appendingPathComponent("Config/local/stack.sh").path

    /// Runs commands after the script was read, in an empty directory that is the stack's.
    static func run(_ commands: String, programs: [String: String] = [:]) async throws -> RunbookBlock.Run {
        try await RunbookBlock(commands: commands).run(
            programs: programs, before: "set -euo pipefail; stack=test; . '\(path)'; home=$0")
    }
}
