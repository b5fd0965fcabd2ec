package import CaptureModel
package import CaptureStore
package import PostgresClient

/// Whether PostgreSQL keeps the commits that it has confirmed.
///
/// It matters at every level: once a result is committed, the capture and its bytes leave the queue.
package struct RecordDurability: Sendable, Equatable {
    /// The problems found; empty when all is well.
    package let problems: [SettingProblem]

    /// Checks the values of the settings; a setting that the server does not show counts as a problem.
    /// - Parameters:
    ///   - settings: Values by names.
    ///   - standbys: How many other servers receive this server's changes.
    package init(settings: [String: String], standbys: Int = 0) {
        let faults = Self.rules.compactMap { rule -> SettingProblem? in
            let value = settings[rule.setting]
            guard !(value.map(rule.isGood) ?? false) else { return nil }
            return SettingProblem(
                setting: "PostgreSQL's \(rule.setting)", value: value, needed: rule.needed,
                consequence: rule.consequence)
        }
        problems = faults + (Self.failoverProblem(settings, standbys: standbys).map { [$0] } ?? [])
    }

    /// The problem of a primary whose commits wait for none of its standbys.
    ///
    /// Commits wait for named standbys unless `synchronous_commit` is `local` or `off`; `off` is a problem by its own
    /// rule.
    private static func failoverProblem(_ settings: [String: String], standbys: Int) -> SettingProblem? {
        let setting: String
        let value: String
        switch (settings[Self.waitedFor], settings[Self.waits]) {
        case ("", _): (setting, value) = (Self.waitedFor, "empty")
        case (.some, "local"): (setting, value) = (Self.waits, "local")
        default: return nil
        }
        guard standbys > 0 else { return nil }
        return SettingProblem(
            setting: "PostgreSQL's \(setting)", value: "\(value), though there are standbys",
            needed: "such that a commit waits for a standby",
            consequence: "a failover loses what the standby had not received, results and accepted captures",
            gravity: .precaution)
    }

    /// Reads the settings in force for this program's own sessions.
    package static func read(from client: PostgresClient) async throws(StoreError) -> RecordDurability {
        try await asStoreError { () throws(PostgresError) in
            var settings: [String: String] = [:]
            for row in try await client.execute(Statements.durabilitySettings).rows {
                settings[try row.text("name")] = try row.text("value")
            }
            return RecordDurability(settings: settings, standbys: try await standbys(of: client))
        }
    }

    /// How many standbys the server has: any user may count them, but only some may see more of them.
    private static func standbys(of client: PostgresClient) async throws(PostgresError) -> Int {
        do throws(PostgresError) {
            return Int(try await client.execute(Statements.durabilityStandbys).first?.int8("standbys") ?? 0)
        } catch {
            // This check is only a precaution, so a server may refuse it.
            guard StoreError(error).code == .refused else { throw error }
            return 0
        }
    }

    private static let waitedFor = "synchronous_standby_names"
    private static let waits = "synchronous_commit"

    private struct Rule: Sendable {
        let setting: String
        let needed: String
        let consequence: String
        var isGood: @Sendable (String) -> Bool = { $0 == "on" }
    }

    private static let rules = [
        Rule(
            setting: "fsync", needed: "on",
            consequence: "a power cut loses or corrupts results, and captures that were answered with 202"),
        Rule(
            setting: "full_page_writes", needed: "on",
            consequence: "a power cut in the middle of a page's write corrupts the record"),
        // Every value but `off` waits for the server's own disk; what else a commit waits for is the operator's choice.
        Rule(
            setting: waits, needed: "on (or anything but off)",
            consequence: "a power cut loses results, and captures that were answered with 202",
            isGood: { $0 != "off" }),
    ]
}

extension Statements {
    static let durabilitySettings = PostgresStatement(
        "durability_settings",
        """
        SELECT name, current_setting(name) AS value FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names')
        """)

    /// Counts the standbys, without base backups if their state may be seen.
    static let durabilityStandbys = PostgresStatement(
        "durability_standbys",
        "SELECT count(*) AS standbys FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'")
}
