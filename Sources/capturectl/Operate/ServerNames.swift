import CaptureSettings

/// The servers of a command, for questions and messages: wrong servers mean wrong settings.
struct ServerNames: Sendable {
    /// PostgreSQL's database and where it is.
    let postgres: String
    /// Redis's address, and its database unless that is 0.
    let redis: String

    /// Takes them from the settings, without secrets.
    init(_ settings: Settings) throws(SettingsError) {
        postgres = settings.postgresPlace
        redis = try settings.redisPlace()
    }

    /// What is about to be done, preceded by where and by whom.
    func preview(_ preview: String, by actor: String? = nil) -> String {
        let servers = "\(postgres); Redis at \(redis)"
        let lines: [String?] = [servers, actor.map { "by \($0), as the audit will say" }, preview]
        return ShownText.lines(lines.compactMap { $0 }.joined(separator: "\n"))
    }
}
