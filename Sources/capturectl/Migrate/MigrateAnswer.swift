import CaptureModel

/// What `capturectl migrate` has done, or would do.
struct MigrateAnswer: Encodable, Sendable {
    /// Where the schema stood before.
    let from: Int
    /// Where it stands; on the way down, where that leads, whether it was taken or not.
    let to: Int
    /// What was done, in words.
    var steps: [String] = []
    /// The installation's id; only on the way up.
    var installation: InstallationID?
    /// What the record holds before a part of it is dropped; only on the way down.
    var record: DroppedRecord?
    /// Tables, and columns of others, that are dropped with what is in them; only on the way down.
    var dropped: [String]?
    /// Whether the way down had nowhere to lead.
    var isThere = false
    /// Whether it was only said what would be done.
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
        try container.encodeIfPresent(installation?.description, forKey: .installation)
        try container.encodeIfPresent(record?.results, forKey: .results)
        try container.encodeIfPresent(record?.isResultsOrMore, forKey: .isResultsOrMore)
        try container.encodeIfPresent(record?.openRows, forKey: .openRows)
        try container.encodeIfPresent(record?.isOpenRowsOrMore, forKey: .isOpenRowsOrMore)
        try container.encodeIfPresent(dropped, forKey: .dropped)
        try container.encode(isDryRun, forKey: .isDryRun)
        try container.encode(isDeclined, forKey: .isDeclined)
    }

    /// The same for people.
    var text: String {
        if isDeclined { return "declined; nothing was done" }
        if isThere { return "nothing was done: the schema is at version \(from) already" }
        return steps.isEmpty ? "nothing was done" : steps.joined(separator: "\n")
    }
}
