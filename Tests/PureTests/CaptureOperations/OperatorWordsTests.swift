import CaptureOperations
import Testing

@testable import Observability

/// Three rules for three purposes: this table holds them side by side.
@Suite struct `Characters that cannot be seen` {
    struct Row: Sendable {
        let scalar: Unicode.Scalar
        /// In reasons, notes and names on the command line.
        let isTaken: Bool
        /// In a name at the login.
        let isKept: Bool
        /// In a line of the log, as it is.
        let isLogged: Bool

        init(_ scalar: Unicode.Scalar, isTaken: Bool = false, isKept: Bool = false, isLogged: Bool = false) {
            (self.scalar, self.isTaken, self.isKept, self.isLogged) = (scalar, isTaken, isKept, isLogged)
        }
    }

    static let rows: [Row] = [
        Row("\n"), Row("\u{1B}"), Row("\u{7F}"), Row("\u{85}"), Row("\u{2028}"), Row("\u{202E}"), Row("\u{2066}"),
        Row("\u{61C}", isTaken: true), Row("\u{200B}", isTaken: true), Row("\u{200D}", isTaken: true),
        Row("\u{200E}", isTaken: true), Row("\u{FEFF}", isTaken: true),
        Row("\u{2800}", isTaken: true, isLogged: true), Row("\u{3164}", isTaken: true, isLogged: true),
        Row("\u{A0}", isTaken: true, isKept: true, isLogged: true),
        Row("\u{E9}", isTaken: true, isKept: true, isLogged: true),
    ]

    @Test(arguments: rows)
    func `characters that cannot be seen are refused, left out or escaped, each where it does damage`(row: Row) {
        let text = "a\(row.scalar)b"
        #expect(OperatorWords.areOneLine(text, bytesMax: 64) == row.isTaken)
        let name = OperatorWords.visible(text, scalarsMax: 64)
        #expect(name.map { Array($0.unicodeScalars) } == Array((row.isKept ? text : "ab").unicodeScalars))
        #expect((LogText.escaped(text) == text) == row.isLogged)
    }
}
