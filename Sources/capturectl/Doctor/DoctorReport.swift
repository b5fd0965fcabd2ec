import CaptureModel

/// The doctor's report.
///
/// Scripts and alerts go by the names of its checks: a released name stays as it is.
struct DoctorReport: Encodable, Sendable {
    static let postgres = "PostgreSQL"
    static let redis = "Redis"
    static let schema = "PostgreSQL schema"
    static let parts = "parts of the schema"
    static let revocations = "revocations"
    static let library = "function library"
    static let partitions = "partitions"
    static let installation = "installation"
    static let durability = "durability"
    static let queueWrites = "writes to Redis"
    static let recordWrites = "writes to PostgreSQL"
    static let ids = "transaction ids"
    static let fileWrites = "writes to files"
    static let clocks = "clocks"
    static let workers = "workers"
    static let keys = "keys"
    static let tokens = "lanes and tokens"
    static let jobs = "lanes and jobs"
    static let bytes = "bytes"
    static let files = "bytes in files"
    static let bundles = "known bundles"
    static let dead = "dead letters"
    static let levels = "counters"
    static let results = "results"
    static let statuses = "statuses"
    static let intake = "ledger"
    /// Why a check was not made, or not of everything.
    static let damaged = "a key that this reads is of another type: see \(keys)"
    /// The checks that compare the record with the queue.
    static let ofRecord = [results, statuses, intake]

    /// The order of the lines.
    static let order =
        [
            postgres, redis, schema, parts, revocations, library, partitions, installation, durability, queueWrites,
            recordWrites, ids, fileWrites, clocks, workers,
        ] + ofQueue + [files] + ofRecord

    /// The checks that each report has: not the lines of the servers' faults, nor writes to files.
    /// - Parameter hasFiles: Whether there is a directory with bytes.
    static func all(hasFiles: Bool) -> [String] {
        order.filter { ![postgres, redis, fileWrites].contains($0) && (hasFiles || $0 != files) }
    }

    /// The first fault of a server, because of which checks are missing.
    var fault: (any Error)?
    /// Whether Ctrl-C or SIGTERM ended it.
    var isStopped = false
    /// Whether the audit may list repairs that were not made, because the correcting entries could not be written.
    var isAuditAhead = false
    /// What became of a repair that did not come to its end, for people.
    var remarks: [String] = []
    /// The lines, in the order of the checks.
    var checks: [DoctorCheck] = []

    /// Whether no problem is left; a report that was stopped does not know.
    var isHealthy: Bool { !isStopped && !checks.contains { $0.state == .problem } }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(isHealthy, forKey: "healthy")
        try container.encode(checks, forKey: "checks")
        try container.encode(isStopped, forKey: "stopped")
        try container.encode(isAuditAhead, forKey: "audit_ahead")
    }

    /// The table, and below it each line that is not well, with its meaning and remedy.
    ///
    /// Checks that could not be made share one line for each cause, so that they do not bury the cause.
    func text(terminal: Terminal = .current) -> String {
        var table = TextTable([("check", .leading), ("state", .leading), ("found", .leading)]) { column, text in
            guard column == 1 else { return nil }
            return switch DoctorCheck.State(rawValue: text) {
            case .ok, .repaired: .good
            case .note: .notable
            case .problem: .bad
            case nil: nil
            }
        }
        for check in checks { table.append([check.name, check.state.rawValue, check.found]) }
        var lines = [table.text(for: terminal, flexible: 2)]
        for check in checks where check.state != .ok && check.whyUnseen == nil {
            lines.append("")
            lines.append(ShownText.line("\(check.name): \(check.found)"))
            let (means, repairs) = check.state == .repaired ? ("meant ", "done  ") : ("means ", "repair")
            if let meaning = check.meaning { lines.append(ShownText.line("  \(means)  \(meaning)")) }
            if let repair = check.repair { lines.append(ShownText.line("  \(repairs)  \(repair)")) }
            lines += check.examples.map { terminal.tinted(ShownText.line("          \($0)"), .faint) }
        }
        lines += unseen()
        lines.append("")
        lines += remarks.map { ShownText.line($0) }
        let problems = TerminalText.count(checks.count { $0.state == .problem }, "problem")
        lines.append(
            isHealthy
                ? terminal.tinted("healthy", .good)
                : terminal.tinted(isStopped ? "stopped; \(problems) seen" : "\(problems) left", .bad))
        return lines.joined(separator: "\n")
    }

    private func unseen() -> [String] {
        var causes: [String] = []
        for cause in checks.compactMap(\.whyUnseen) where !causes.contains(cause) { causes.append(cause) }
        return causes.flatMap { cause in
            let names = checks.filter { $0.whyUnseen == cause }.map(\.name).joined(separator: ", ")
            return ["", ShownText.line("not looked at: \(names)"), ShownText.line("  means   \(cause)")]
        }
    }
}
