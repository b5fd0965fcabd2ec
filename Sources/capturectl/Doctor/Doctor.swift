import CaptureModel
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Examines the servers and the queue, and compares the queue with the record.
struct Doctor: Sendable {
    let session: OperatorSession
    /// The age from which keys without a capture are removed.
    let orphanAge: Duration
    /// Looked at between two steps.
    let stop: StopRequest

    var queueDoctor: QueueDoctor { QueueDoctor(queue: session.queue) }

    /// Examines everything and changes nothing.
    func look() async throws -> DoctorReport {
        try await view().report
    }

    /// Looks at everything once.
    ///
    /// A server's fault is a line of the report: what needs that server is not looked at any more, and the rest is.
    func view() async throws -> View {
        var view = View(stop: stop)
        let progress = Progress()
        defer { progress.finish() }
        try await lookAtServers(&view)
        let directory = await FileCheck(session: session, hasRecord: view.hasSchema).directory()
        if let directory { view.add(directory) }
        if view.hasFunctions { try await lookAtQueue(&view, hasDirectory: directory == nil, progress) }
        view.examination?.dropSettled()
        view.conclude(hasFiles: session.files != nil)
        return view
    }

    private func lookAtServers(_ view: inout View) async throws {
        let (servers, writes) = (ServerChecks(session: session), WriteCheck(session: session))
        // First, because it names all rights that are missing, and any other question only the first of them.
        try await view.step(DoctorReport.postgres) { $0.add(try await writes.record()) }
        try await view.step(DoctorReport.postgres) {
            $0.add(try await TransactionIDCheck.look(at: session.postgres))
        }
        try await view.step(DoctorReport.postgres) { view in
            let schema = try await servers.schema()
            view.add(schema)
            view.add(try await servers.parts(of: schema))
            view.add(try await servers.revocations(schema))
        }
        try await view.step(DoctorReport.redis) { $0.add(try await servers.library()) }
        try await view.step(DoctorReport.redis) { $0.add(try await servers.partitions()) }
        try await view.step(DoctorReport.redis, DoctorReport.postgres) {
            $0.add(try await InstallationCheck(session: session).look())
        }
        try await view.step(DoctorReport.redis, DoctorReport.postgres) { $0.add(try await servers.durability()) }
        try await view.step(DoctorReport.redis) { $0.add(try await writes.queue()) }
        if let files = await writes.files() { view.add(files) }
        try await view.step(DoctorReport.redis, DoctorReport.postgres) { $0.add(try await servers.clocks()) }
    }

    /// Looks at what needs the functions.
    /// - Parameter hasDirectory: Whether files can be looked for, if any are kept.
    private func lookAtQueue(_ view: inout View, hasDirectory: Bool, _ progress: Progress) async throws {
        try await view.step(DoctorReport.redis) { view in
            let examination = try await examine(showing: progress)
            view.report.checks += DoctorReport.checks(of: examination)
            // Part of a queue says nothing about the whole.
            if examination.isWhole { view.examination = examination }
        }
        guard let examination = view.examination else { return }
        try await view.step(DoctorReport.redis) {
            $0.report.checks += try await WorkerCheck.look(at: session.queue, examination)
        }
        let hasRecord = view.hasSchema
        if hasDirectory {
            try await view.step(DoctorReport.redis, DoctorReport.postgres) {
                $0.report.checks += try await lookForFiles(examination, hasRecord: hasRecord, progress)
            }
        }
        guard hasRecord else { return }
        progress.show("doctor: asking the record")
        try await view.step(DoctorReport.redis, DoctorReport.postgres) { view in
            try await compareWithRecord(examination, &view)
        }
        try await view.step(DoctorReport.redis, DoctorReport.postgres) { view in
            try await lookAtLedger(examination, &view)
        }
        try await view.step(DoctorReport.redis, DoctorReport.postgres) { view in
            try await compareStatuses(examination, &view)
        }
    }

    private func lookForFiles(
        _ examination: QueueExamination, hasRecord: Bool, _ progress: Progress
    ) async throws -> [DoctorCheck] {
        let files = FileCheck(session: session, hasRecord: hasRecord)
        return try await DoctorCheck.unlessDamaged(DoctorReport.files) {
            let check = try await files.look(
                examination, progress: { progress.show("doctor: files of \($0) captures looked for") },
                until: { stop.signal != nil })
            return check.map { [$0] } ?? []
        }
    }

    private func lookAtLedger(_ examination: QueueExamination, _ view: inout View) async throws {
        let dead = examination.failed.subtracting(view.settledDead.map { $0.capture }).subtracting(view.foreignDead)
        var settledOpen: [OpenIntake] = []
        view.report.checks += try await DoctorCheck.unlessDamaged(DoctorReport.intake) {
            let (check, settled) = try await LedgerCheck(session: session).look(
                waiting: examination.waiting, dead: dead)
            settledOpen = settled
            return [check]
        }
        view.settledOpen = settledOpen
    }

    /// Examines the queue; a part of it only if it is told to stop meanwhile.
    func examine(showing progress: Progress) async throws(QueueError) -> QueueExamination {
        try await queueDoctor.examine(
            progress: { progress.show("doctor: \($0) keys looked at") }, until: { stop.signal != nil })
    }
}
