/// How a line of the log looks.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line: `time`, `level`, `label`, `message`, then the metadata.
    case json
    /// For people: time, level, label, message, then `key=value`.
    case text
}
