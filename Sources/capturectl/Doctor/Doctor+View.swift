import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import RedisCaptureQueue

extension Doctor {
    /// What one look at everything has found so far.
    struct View {
        let stop: StopRequest
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
        /// The examination of the queue; `nil` if it did not come to its end.
        var examination: QueueExamination?
        /// Dead letters that have a result in the record.
        var settledDead: [(capture: CaptureID, device: DeviceID)] = []
        /// Dead letters with whose ids the record has the results of other captures.
        var foreignDead: [CaptureID] = []
        /// Open rows of the ledger that the queue calls settled and that have no result in the record.
        var settledOpen: [OpenIntake] = []
        /// Other captures that the queue calls settled and that have no result in the record.
        var settledLost = LostStatuses()
        /// Captures that known bundles lead to, that the queue has lost, and that have a result in the record.
        var settledGone: Set<CaptureID> = []

        /// Starts with nothing seen.
        init(stop: StopRequest) {
            self.stop = stop
        }

        private func isWell(_ name: String) -> Bool {
            report.checks.contains { $0.name == name && $0.state != .problem }
        }

        /// Adds a line.
        mutating func add(_ check: DoctorCheck) { report.checks.append(check) }

        /// Makes checks that need some servers, unless one of these has had a fault, or it was told to stop.
        ///
        /// What the checks have added before a fault stays.
        mutating func step(_ servers: String..., look: (inout View) async throws -> Void) async throws {
            guard stop.signal == nil, !report.checks.contains(where: { servers.contains($0.name) }) else { return }
            do {
                try await look(&self)
            } catch {
                try note(error)
            }
        }

        /// Notes a server's fault; throws what is none.
        mutating func note(_ error: any Error) throws {
            switch error {
            case ServerFault.store(let fault): add(.fault(of: fault))
            case ServerFault.queue(let fault): add(.fault(of: fault))
            case let fault as StoreError: add(.fault(of: fault))
            case let fault as QueueError: add(.fault(of: fault))
            default: throw error
            }
            if report.fault == nil { report.fault = error }
        }

        /// Says what was not looked at, and why, and puts the lines in order.
        mutating func conclude(hasFiles: Bool) {
            let why = whyUnseen
            let seen = Set(report.checks.map(\.name))
            for name in DoctorReport.all(hasFiles: hasFiles) where !seen.contains(name) { add(.notLookedAt(name, why)) }
            report.checks = DoctorReport.order.flatMap { name in report.checks.filter { $0.name == name } }
            report.isStopped = stop.signal != nil
        }

        private var whyUnseen: String {
            if report.fault != nil { return "this needs both servers, or the one that has the problem" }
            if stop.signal != nil { return "it was told to stop" }
            return hasFunctions ? "this needs the schema of this release" : "this needs the functions of this release"
        }
    }
}

extension Doctor.View {
    /// What can be repaired; nothing if that must not be, as a server had a fault or two installations are mixed.
    ///
    /// While the functions are missing nobody knows what else is wrong.
    var repairs: [Repairable] {
        guard report.fault == nil, !report.isHealthy, hasSchema, hasPartitions, isOneInstallation, takesNotes else {
            return []
        }
        guard hasFunctions else { return [.library] }
        let mendable = (examination?.mendable ?? []).filter { !settledLost.untouchable.contains($0.subject) }
        return mendable.map { Repairable($0) }
            + settledDead.map { Repairable(letter: $0.capture) } + settledOpen.map { Repairable(row: $0.capture) }
            + settledLost.kept.map { Repairable(status: $0.capture) }
    }

    /// Whether more can be repaired than the look has kept: a repair leaves the rest.
    var hasRest: Bool { settledLost.hasMore || (examination?.crowded ?? []).contains(where: \.canBeMended) }

    /// Whether nothing is left of what a check called a problem.
    func isRepaired(_ check: String, by done: Set<Repairable>) -> Bool {
        switch check {
        case DoctorReport.library: done.contains(.library)
        case DoctorReport.results:
            foreignDead.isEmpty && settledDead.allSatisfy { done.contains(Repairable(letter: $0.capture)) }
        case DoctorReport.statuses:
            !settledLost.hasMore && settledLost.kept.allSatisfy { done.contains(Repairable(status: $0.capture)) }
        // The rows stay a problem until a gateway has put their captures back.
        case DoctorReport.intake: false
        default:
            DoctorReport.ofQueue.contains(check)
                && !(examination?.crowded ?? []).contains { $0.check == check }
                && (examination?.findings ?? []).allSatisfy { $0.fault.check != check || done.contains(Repairable($0)) }
        }
    }
}

extension DoctorCheck {
    /// The line of a fault of PostgreSQL.
    fileprivate static func fault(of error: StoreError) -> DoctorCheck {
        guard error.code == .conflict else {
            return .problem(
                DoctorReport.postgres, error.message,
                "no result is settled, no device registered, and with a ledger no upload taken", repair: remedy)
        }
        return .problem(
            DoctorReport.postgres, error.message,
            "another session holds what the doctor asked for, or the server is slow: programs that ask for it wait, too",
            repair: "pg_stat_activity tells which statements run and wait (a migration, VACUUM FULL); look again then")
    }

    /// The line of a fault of Redis.
    fileprivate static func fault(of error: QueueError) -> DoctorCheck {
        .problem(DoctorReport.redis, error.message, "uploads get 503, and workers wait", repair: remedy)
    }

    private static let remedy =
        "RUNBOOKS.md, \"CaptureServerAway\"; is it the server that the settings mean?"
}
