import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient

/// The way down: shows all that is dropped, asks, notes it in the audit, and takes the steps.
struct WayDown: Sendable {
    let postgres: PostgresClient
    let servers: ServerNames
    let target: Int
    /// The actor for the audit.
    let actor: String
    let isDryRun: Bool
    /// Whether to ask at all.
    let isAsked: Bool
    let json: Bool

    /// Takes the schema down, unless it is there already or the operator declines.
    func run() async throws -> MigrateAnswer {
        let migrator = Migrator(client: postgres)
        let present = try await migrator.schemaVersion()
        guard target < present else {
            return MigrateAnswer(from: present, to: present, isThere: true, isDryRun: isDryRun)
        }
        if let objection = migrator.objection(toLeaving: present) { throw objection }
        let record = try await DroppedRecord(by: migrator, version: present)
        let steps = Migration.all.filter { (target + 1...present).contains($0.version) }
        var answer = MigrateAnswer(
            from: present, to: target, record: record, dropped: steps.flatMap(\.dropped), isDryRun: isDryRun)
        let preview = servers.preview(words(from: present, record, steps), by: isNoted ? actor : nil)
        if isDryRun {
            if !json { try printAnswer(preview) }
            return answer
        }
        let question = "Bring the schema from version \(present) down to \(target), and drop what came after?"
        guard try Confirmation.isGiven(question, about: preview, isNeeded: isAsked, json: json) else {
            answer.isDeclined = true
            return answer
        }
        try await note(from: present)
        answer.steps = try await MigrationSteps(migrator).down(to: target).map(\.description)
        return answer
    }

    /// Whether it can be noted: version 0 has no audit.
    private var isNoted: Bool { target > 0 }

    private func note(from present: Int) async throws {
        guard isNoted else { return }
        try await PostgresCaptureStore(client: postgres).recordAudit(
            AuditEntry(
                at: Timestamp.systemTime(), actor: actor, action: .schemaDown, subject: "schema",
                details: ["from": "\(present)", "to": "\(target)"]))
    }

    private func words(from present: Int, _ record: DroppedRecord, _ steps: [Migration]) -> String {
        let dropped = steps.flatMap(\.dropped)
        return """
            the schema goes from version \(present) down to \(target); \(record.text)
            taken back: \(steps.map(\.name).joined(separator: ", "))
            dropped for good, with what is in them: \(dropped.isEmpty ? "nothing" : dropped.joined(separator: ", "))
            """
    }
}
