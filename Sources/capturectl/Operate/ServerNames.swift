import CaptureSettings
import FoundationEssentials
import PostgresClient
import RedisClient

/// Which servers a command has to do with, for whoever is asked or told: the wrong ones are a mistake of the settings.
struct ServerNames: Sendable {
    /// PostgreSQL's database and where it is.
    let postgres: String
    /// Where Redis is, and its database unless it is the first.
    let redis: String

    /// Reads them from the settings, without what is secret.
    init(_ settings: Settings) throws(SettingsError) {
        let record = DatabaseAddress(
            conninfo: settings.postgresConfiguration(name: "capturectl").conninfo,
            environment: ProcessInfo.processInfo.environment)
        let queue = try settings.redisConfiguration(name: "capturectl")
        postgres = "\(record)"
        redis = "\(queue.address)" + (queue.database == 0 ? "" : ", database \(queue.database)")
    }

    /// What is about to be done, below where it will be done and by whom.
    func preview(_ preview: String, by actor: String? = nil) -> String {
        let servers = "\(postgres); Redis at \(redis)"
        let lines: [String?] = [servers, actor.map { "by \($0), as the audit will say" }, preview]
        return ShownText.lines(lines.compactMap { $0 }.joined(separator: "\n"))
    }
}
