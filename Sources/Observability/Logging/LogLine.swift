import CaptureModel
import Logging

/// One line of the log before it is written.
struct LogLine {
    /// Longer fields are cut: a log is not the place for payloads.
    static let fieldBytesMax = 4096

    let time: Timestamp
    let level: Logger.Level
    let label: String
    let message: String
    let metadata: Logger.Metadata

    /// The line as it is written, with its line feed.
    func text(_ format: LogFormat) -> String {
        var fields: [(String, String)] = []
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            Self.flatten(key, value, into: &fields)
        }
        switch format {
        case .json: return json(fields)
        case .text: return plain(fields)
        }
    }

    private func json(_ fields: [(String, String)]) -> String {
        var used: Set<String> = ["time", "level", "label", "message"]
        var line = "{\"time\":\"\(time.rfc3339)\",\"level\":\"\(level.rawValue)\",\"label\":"
        line += LogText.quoted(label)
        line += ",\"message\":"
        line += LogText.quoted(message)
        for (key, value) in fields {
            // Metadata never take the place of the line's own fields.
            var key = key
            while !used.insert(key).inserted { key += "_" }
            line += ",\(LogText.quoted(key)):\(LogText.quoted(value))"
        }
        return line + "}\n"
    }

    private func plain(_ fields: [(String, String)]) -> String {
        let level = level.rawValue.uppercased()
        let padding = String(repeating: " ", count: max(0, 8 - level.count))
        var line = "\(time.rfc3339) \(level)\(padding) \(LogText.escaped(label)): \(LogText.escaped(message))"
        for (key, value) in fields {
            line += " \(LogText.escaped(key))=\(LogText.isPlain(value) ? value : LogText.quoted(value))"
        }
        return line + "\n"
    }

    /// Nested metadata become `outer.inner`, lists `outer.0`.
    private static func flatten(_ key: String, _ value: Logger.MetadataValue, into fields: inout [(String, String)]) {
        switch value {
        case .string(let text): fields.append((key, text))
        case .stringConvertible(let thing): fields.append((key, thing.description))
        case .dictionary(let inner):
            for (name, value) in inner.sorted(by: { $0.key < $1.key }) {
                flatten("\(key).\(name)", value, into: &fields)
            }
        case .array(let items):
            for (index, value) in items.enumerated() { flatten("\(key).\(index)", value, into: &fields) }
        }
    }
}
