import ArgumentParser
import FoundationEssentials

extension ActorOption {
    /// Whoever was named; else the command itself, as a unit or a job runs it at each start.
    var nameOrMigrate: String {
        let named = ProcessInfo.processInfo.environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        return actor ?? named ?? "capturectl migrate"
    }
}
