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
        if let objection = try await migrator.objectionToSchema() { throw objection }
        if let objection = migrator.objection(toLeaving: present) { throw objection }
        let record = try await DroppedRecord(by: migrator, version: present)
        let steps = Migration.all.filter { (target + 1...present).contains($0.version) }
        var answer = MigrateAnswer(
            from: present, to: target, record: record, dropped: steps.flatMap(\.dropped), isDryRun: isDryRun)
        let preview = servers.preview(words(from: present, record, steps), by: isNoted ? actor : nil)
        let question = "Bring the schema from version \(present) down to \(target), and drop what came after?"
        guard try Confirmation.isGiven(question, about: preview, dryRun: isDryRun, isNeeded: isAsked, json: json) else {
            answer.isDeclined = !isDryRun
            return answer
        }
        try await note(AuditAction.schemaDown.rawValue, from: present)
        do throws(StoreError) {
            answer.steps = try await MigrationSteps(migrator).down(to: target).map(\.description)
        } catch {
            await noteMissed(error, from: present, by: migrator)
            throw error
        }
        return answer
    }

    /// Whether it can be noted: version 0 has no audit.
    private var isNoted: Bool { target > 0 }

    private func note(
        _ action: String, from present: Int, _ more: [String: String] = [:]
    ) async throws(StoreError) {
        guard isNoted else { return }
        let details = ["from": "\(present)", "to": "\(target)"].merging(more) { $1 }
        try await PostgresCaptureStore(client: postgres).recordAudit(
            AuditEntry(
                at: Timestamp.systemTime(), actor: actor, action: action, subject: "schema", details: details))
    }

    /// Notes how far it came: the steps before the one that failed stay taken.
    private func noteMissed(_ fault: StoreError, from present: Int, by migrator: Migrator) async {
        do throws(StoreError) {
            let reached = try await migrator.schemaVersion()
            // Perhaps the last step was done, and only its answer was lost.
            guard reached > target else { return }
            let more = ["reached": "\(reached)", "fault": "\(fault)"]
            try await note(AuditAction.schemaDown.missed, from: present, more)
        } catch {
            standardError("capturectl: the audit says that it came down to version \(target); correcting it failed\n")
        }
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
