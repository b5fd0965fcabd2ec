import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Examines the servers and the queue, and compares the queue with the record.
struct Doctor: Sendable {
    let session: OperatorSession
    /// The age from which keys without a capture are removed.
    let orphanAge: Duration

    private var queueDoctor: QueueDoctor { QueueDoctor(queue: session.queue) }

    /// The findings of one examination.
    struct View {
        var report = DoctorReport()
        /// Whether the record can be asked.
        var hasSchema: Bool { isWell(DoctorReport.schema) }
        /// Whether the audit takes the note of a repair, as far as that is known without a write.
        var takesNotes: Bool { isWell(DoctorReport.recordWrites) }
        /// Whether queue, record and files belong together, as far as known: another installation's stay untouched.
        var isOneInstallation: Bool { isWell(DoctorReport.installation) }
        /// Whether the queue has the configured partitions: otherwise nothing can be repaired.
        var hasPartitions: Bool { isWell(DoctorReport.partitions) }
        /// Whether the queue can be asked.
        var hasFunctions: Bool { isWell(DoctorReport.library) }
        var examination = QueueExamination()
        /// Dead letters that have a result in the record.
        var settledDead: [(capture: CaptureID, device: DeviceID)] = []
        /// Dead letters with whose ids the record has the results of other captures.
        var foreignDead: [CaptureID] = []
        /// Open rows of the ledger that the queue calls settled and that have no result in the record.
        var settledOpen: [OpenIntake] = []
        /// Captures that known bundles lead to, that the queue has lost, and that have a result in the record.
        var settledGone: Set<CaptureID> = []
        /// The findings that the queue can repair.
        var mendable: [QueueFinding] { examination.mendable }
        /// Whether anything can be repaired, apart from missing functions.
        var hasRepairs: Bool { !mendable.isEmpty || !settledDead.isEmpty || !settledOpen.isEmpty }

        private func isWell(_ name: String) -> Bool {
            report.checks.contains { $0.name == name && $0.state != .problem }
        }
    }

    /// Examines everything and changes nothing.
    ///
    /// While a server is away, or may not be read, the rest is reported together with its fault.
    func look() async throws -> DoctorReport {
        if let outage = await OutageReport(session) { return try await outage.report() }
        return try await view().report
    }

    /// Examines, repairs what is wrong, and examines again.
    ///
    /// Nothing is repaired unless the audit has noted it before.
    func repair(by actor: String) async throws -> DoctorReport {
        if let outage = await OutageReport(session) { return try await outage.report() }
        let first = try await view()
        guard !first.report.isHealthy, first.hasSchema, first.hasPartitions, first.isOneInstallation, first.takesNotes
        else { return first.report }
        // Audit entries stay for good: nothing is noted if nothing can be repaired.
        guard !first.hasFunctions || first.hasRepairs else { return first.report }
        try await note(first, by: actor)
        var before = first
        if !first.hasFunctions {
            _ = try await FunctionLibrary.current.install(on: session.redis)
            before = try await view()
            // A full Redis keeps an older library: then the queue was not examined, so nothing can be noted and
            // repaired.
            guard before.hasFunctions else { return before.report }
            if before.hasRepairs { try await note(before, by: actor) }
        }
        let mended = try await mend(before)
        var report = try await view().report
        for index in report.checks.indices where report.checks[index].state == .ok {
            let name = report.checks[index].name
            let count =
                mended.count { $0.fault.check == name } + (name == DoctorReport.results ? before.settledDead.count : 0)
            let earlier = [before, first].compactMap { view in view.report.checks.first { $0.name == name } }
            let was = earlier.first { $0.state == .problem } ?? earlier.first
            guard count > 0 || was?.state == .problem else { continue }
            report.checks[index].state = .repaired
            if let was { report.checks[index].found = "was: \(was.found)" }
        }
        return report
    }

    /// Repairs the findings and those that the repair uncovers; returns what was repaired.
    private func mend(_ before: View) async throws(QueueError) -> [QueueFinding] {
        var rules = MendingRules()
        rules.orphanAge = orphanAge
        rules.settled = before.settledGone
        // Their bytes are no leftovers of settled captures.
        let open = Set(before.settledOpen.map(\.capture.description))
        let findings = before.examination.findings.filter { !open.contains($0.subject) }
        var mended = try await queueDoctor.mend(findings, rules)
        for (capture, device) in before.settledDead {
            do throws(QueueError) {
                _ = try await session.queue.redrive(capture, from: device)
            } catch {
                // It stays a dead letter, and the report still has it. With its job lost, only its row brings it back.
                guard error.isOfDamagedKey || error.code == .refused else { throw error }
            }
        }
        try await queueDoctor.forgetSettled(before.settledOpen.map { ($0.capture, $0.device) })
        // A finding may have hidden another: a lane that has its captures back needs its token.
        var between = try await examine()
        let levels = between.findings.filter { $0.fault == .levelWrong }
        let uncovered = try await queueDoctor.mend(between.findings.filter { !open.contains($0.subject) }, rules)
        mended += uncovered
        guard !levels.isEmpty || !mended.isEmpty else { return [] }
        if !uncovered.isEmpty { between = try await examine() }
        return try await queueDoctor.recount(between) ? mended + levels : mended
    }

    private func examine() async throws(QueueError) -> QueueExamination {
        let progress = Progress()
        defer { progress.finish() }
        return try await queueDoctor.examine { progress.show("doctor: \($0) keys looked at") }
    }

    /// Notes in the audit what will be repaired, without the findings that cannot be repaired here.
    private func note(_ view: View, by actor: String) async throws(ServerFault) {
        // The doctor has looked itself whose queue it is.
        let actions = session.actions(on: session.queue)
        let findings = view.mendable.map { (subject: $0.subject, details: ["fault": $0.fault.rawValue]) }
        let settled = view.settledDead.map { (subject: "\($0.capture)", details: ["fault": "DEAD_LETTER_WITH_RESULT"]) }
        let open = view.settledOpen.map { (subject: "\($0.capture)", details: ["fault": "SETTLED_WITHOUT_RESULT"]) }
        let count = ["findings": "\(findings.count + settled.count + open.count)"]
        let all = [(subject: QueueActions.queueSubject, details: count)] + findings + settled + open
        for page in all.pages(of: 100) {
            try await actions.note(.queueRepair, of: page, by: actor)
        }
    }

    private func view() async throws -> View {
        var view = View()
        let progress = Progress()
        defer { progress.finish() }
        let servers = ServerChecks(session: session)
        view.report.checks += try await servers.all()
        guard view.hasFunctions else {
            let files = session.files == nil ? [] : [DoctorReport.files]
            let names = [DoctorReport.workers] + DoctorReport.ofQueue + files + DoctorReport.ofRecord
            view.report.checks += names.map {
                DoctorCheck.notLookedAt($0, "this needs the functions of this release")
            }
            return view
        }
        view.examination = try await examine()
        let examination = view.examination
        view.report.checks += try await WorkerCheck.look(at: session.queue, examination)
        view.report.checks += DoctorReport.checks(of: examination)
        let files = FileCheck(session: session, hasRecord: view.hasSchema)
        view.report.checks += try await DoctorCheck.unlessDamaged(DoctorReport.files) {
            let check = try await files.look(examination) { looked in
                progress.show("doctor: files of \(looked) captures looked for")
            }
            return check.map { [$0] } ?? []
        }
        guard view.hasSchema else {
            view.report.checks += DoctorReport.ofRecord.map {
                DoctorCheck.notLookedAt($0, "this needs the schema of this release")
            }
            return view
        }
        progress.show("doctor: asking the record")
        try await compareWithRecord(&view)
        let dead = examination.failed.subtracting(view.settledDead.map { $0.capture }).subtracting(view.foreignDead)
        var settledOpen: [OpenIntake] = []
        view.report.checks += try await DoctorCheck.unlessDamaged(DoctorReport.intake) {
            let (check, settled) = try await LedgerCheck(session: session).look(dead: dead)
            settledOpen = settled
            return [check]
        }
        view.settledOpen = settledOpen
        return view
    }
}
