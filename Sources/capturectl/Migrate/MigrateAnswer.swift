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

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(steps, forKey: "steps")
        try container.encode(from, forKey: "from_version")
        try container.encode(to, forKey: "to_version")
        try container.encodeIfPresent(installation, forKey: "installation")
        try container.encodeIfPresent(record?.results, forKey: "results")
        try container.encodeIfPresent(record?.isResultsOrMore, forKey: "results_or_more")
        try container.encodeIfPresent(record?.openRows, forKey: "open_rows")
        try container.encodeIfPresent(record?.isOpenRowsOrMore, forKey: "open_rows_or_more")
        try container.encodeIfPresent(dropped, forKey: "dropped")
        try container.encode(isDryRun, forKey: "dry_run")
        try container.encode(isDeclined, forKey: "declined")
    }

    /// The answer for people.
    var text: String {
        if isDeclined { return "declined; nothing was done" }
        if isThere { return "nothing was done: the schema is at version \(from) already" }
        return steps.isEmpty ? "nothing was done" : steps.joined(separator: "\n")
    }
}
