import CaptureModel

/// The answer of `capturectl migrate`, or of its dry run.
struct MigrateAnswer: Encodable, Sendable {
    /// The schema's version before.
    let from: Int
    /// The schema's version after; on the way down the target, whether it was reached or not.
    let to: Int
    /// What was done, in words.
    var steps: [String] = []
    /// The installation's id; only on the way up.
    var installation: InstallationID?
    /// How much the record holds before a part of it is dropped; only on the way down.
    var record: DroppedRecord?
    /// Tables, and columns of other tables, that are dropped with their contents; only on the way down.
    var dropped: [String]?
    /// Whether the schema was at the target version, or below it, already.
    var isThere = false
    /// Whether this was a dry run.
    var isDryRun = false
    /// Whether the operator said no.
    var isDeclined = false

    private enum CodingKeys: String, CodingKey {
        case steps, installation, results, dropped
        case from = "from_version"
        case to = "to_version"
        case openRows = "open_rows"
        case isResultsOrMore = "results_or_more"
        case isOpenRowsOrMore = "open_rows_or_more"
        case isDryRun = "dry_run"
        case isDeclined = "declined"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(steps, forKey: .steps)
        try container.encode(from, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encodeIfPresent(installation, forKey: .installation)
        try container.encodeIfPresent(record?.results, forKey: .results)
        try container.encodeIfPresent(record?.isResultsOrMore, forKey: .isResultsOrMore)
        try container.encodeIfPresent(record?.openRows, forKey: .openRows)
        try container.encodeIfPresent(record?.isOpenRowsOrMore, forKey: .isOpenRowsOrMore)
        try container.encodeIfPresent(dropped, forKey: .dropped)
        try container.encode(isDryRun, forKey: .isDryRun)
        try container.encode(isDeclined, forKey: .isDeclined)
    }

    /// The answer for people.
    var text: String {
        if isDeclined { return "declined; nothing was done" }
        if isThere { return "nothing was done: the schema is at version \(from) already" }
        return steps.isEmpty ? "nothing was done" : steps.joined(separator: "\n")
    }
}
