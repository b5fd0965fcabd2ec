/// What the doctor has to say.
struct DoctorReport: Encodable, Sendable {
    static let postgres = "PostgreSQL"
    static let redis = "Redis"
    static let schema = "PostgreSQL schema"
    static let parts = "parts of the schema"
    static let library = "function library"
    static let partitions = "partitions"
    static let installation = "installation"
    static let durability = "durability"
    static let queueWrites = "writes to Redis"
    static let recordWrites = "writes to PostgreSQL"
    static let clocks = "clocks"
    static let workers = "workers"
    static let tokens = "lanes and tokens"
    static let jobs = "lanes and jobs"
    static let bytes = "bytes"
    static let files = "bytes in files"
    static let bundles = "known bundles"
    static let dead = "dead letters"
    static let levels = "counters"
    static let results = "results"
    static let intake = "ledger"
    /// What is seen of the record and the queue side by side.
    static let ofRecord = [results, intake]

    /// What is looked at while both servers are there; the files only where bytes are in them.
    static let all =
        [schema, parts, library, partitions, installation, durability, queueWrites, recordWrites, clocks, workers]
        + ofQueue + ofRecord

    /// Why a part of it could not be looked at: a server that is away.
    var fault: (any Error)?
    /// The lines, in the order in which they were looked at.
    var checks: [DoctorCheck] = []

    /// Whether nothing is left to be done.
    var isHealthy: Bool { !checks.contains { $0.state == .problem } }

    enum CodingKeys: String, CodingKey {
        case healthy, checks
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isHealthy, forKey: .healthy)
        try container.encode(checks, forKey: .checks)
    }

    /// The table, and below it each line that is not as it must be, with what it means and what to do.
    ///
    /// What could not be looked at is named in one line for each cause, so that it does not bury the cause.
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
            if let meaning = check.meaning { lines.append(ShownText.line("  means   \(meaning)")) }
            if let repair = check.repair { lines.append(ShownText.line("  repair  \(repair)")) }
            lines += check.examples.map { terminal.tinted(ShownText.line("          \($0)"), .faint) }
        }
        lines += unseen()
        lines.append("")
        let problems = checks.count { $0.state == .problem }
        lines.append(
            isHealthy
                ? terminal.tinted("healthy", .good)
                : terminal.tinted("\(TerminalText.count(problems, "problem")) left", .bad))
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
