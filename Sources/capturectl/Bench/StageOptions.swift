import ArgumentParser
import FoundationEssentials

/// The options of every benchmark that starts servers.
struct StageOptions: ParsableArguments {
    @Option(help: "Folder with the servers' settings: redis.conf and postgresql.conf.", completion: .directory)
    var settings = "Config"

    @Option(help: "Decides what the captures show.")
    var seed: UInt64 = 1

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func validate() throws {
        for file in ["redis.conf", "postgresql.conf"]
        where !FileManager.default.isReadableFile(atPath: "\(settings)/\(file)") {
            throw ValidationError("--settings: \(settings)/\(file) cannot be read; run it where the sources are")
        }
    }
}
