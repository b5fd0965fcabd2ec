import CaptureModel
import FoundationEssentials

/// Tells one version of an answer from another (RFC 9110 section 8.8.3).
struct EntityTag: Sendable, Equatable {
    private static let digits = 32
    /// The field of a weak tag as a regular expression.
    static let weakPattern = "^W/\"[0-9a-f]{\(digits)}\"$"

    /// What stands between the quotes.
    private let opaque: String
    /// Whether the answers of one version may differ in some bytes, though they mean the same (section 8.8.1).
    private let isWeak: Bool

    /// The weak tag of an answer's `data`.
    ///
    /// The envelope's `meta` differs in every answer and does not count.
    init(of document: some Encodable) throws(APIError) {
        // Another form of the same would be another tag, for which clients would fetch again what they have.
        self.init(bytes: Array(try AnswerJSON.encoded(document, .sortedKeys)), isWeak: true)
    }

    /// The strong tag of an answer of these bytes.
    init(bytes: [UInt8]) { self.init(bytes: bytes, isWeak: false) }

    private init(bytes: [UInt8], isWeak: Bool) {
        opaque = String(SHA256Digest.hash(bytes).hex.prefix(Self.digits))
        self.isWeak = isWeak
    }

    /// As the field `ETag` has it.
    var field: String { isWeak ? "W/\(quoted)" : quoted }

    private var quoted: String { "\"\(opaque)\"" }

    /// As the id of an event has it.
    var eventID: String { opaque }

    /// Whether `If-None-Match` names this version: by weak comparison of what stands between the quotes, as RFC 9110
    /// section 13.1.2 asks.
    func matches(ifNoneMatch field: String) -> Bool {
        // No tag of ours has a comma in it.
        field.split(separator: ",").contains { item in
            var item = item.drop { $0 == " " || $0 == "\t" }
            while item.last == " " || item.last == "\t" { item.removeLast() }
            if item == "*" { return true }
            if item.hasPrefix("W/") { item = item.dropFirst(2) }
            return item == quoted
        }
    }
}
