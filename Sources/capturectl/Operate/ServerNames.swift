import CaptureOperations
import CaptureSettings
import FoundationEssentials
import PostgresClient
import RedisClient

/// Which servers a command is about to change, for whoever is asked: the wrong ones are a mistake of the settings.
struct ServerNames: Sendable {
    private let text: String

    /// Reads them from the settings, without what is secret.
    init(_ settings: Settings) throws(SettingsError) {
        let postgres = DatabaseAddress(
            conninfo: settings.postgresConfiguration(name: "capturectl").conninfo,
            environment: ProcessInfo.processInfo.environment)
        let redis = try settings.redisConfiguration(name: "capturectl")
        text = "\(postgres); Redis at \(redis.address)" + (redis.database == 0 ? "" : ", database \(redis.database)")
    }

    /// What is about to be done, below where it will be done and by whom.
    func preview(_ preview: String, by actor: String? = nil) -> String {
        let lines: [String?] = [text, actor.map { "by \($0), as the audit will say" }, preview]
        return lines.compactMap { $0 }.joined(separator: "\n")
    }
}
