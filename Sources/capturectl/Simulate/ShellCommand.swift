/// A command line for a POSIX shell, in pieces that may stand on lines of their own.
struct ShellCommand: Encodable, Sendable {
    private let pieces: [String]

    /// Takes pieces that are already quoted where necessary.
    init(_ pieces: String...) { self.pieces = pieces }

    /// In one line.
    var line: String { pieces.joined(separator: " ") }

    /// Over several lines, the later ones indented.
    var lines: String { pieces.joined(separator: " \\\n    ") }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(line)
    }

    /// A word quoted for a shell (POSIX, Shell Command Language, 2.2.2).
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/:.,_-+%@".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
