import FoundationEssentials
import Glibc

/// The terminal of the command: its size, its colours, and whether somebody is there to be asked.
struct Terminal: Sendable {
    /// A colour with a meaning.
    enum Tint: String {
        case good = "32"
        case bad = "31"
        case notable = "33"
        case faint = "2"
    }

    /// How many columns the output has; `nil` when it is no terminal, so that nothing is cut off.
    let columns: Int?
    /// How many lines it shows; `nil` when it is no terminal.
    var rows: Int?
    /// Whether it shows colours.
    let isTinted: Bool

    /// Whether the output takes cursor controls.
    var canSteer = false

    /// Looks at the standard streams.
    static var current: Terminal {
        let environment = ProcessInfo.processInfo.environment
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let canSteer = Self.canSteer(STDOUT_FILENO)
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let size = isTerminal ? size() : nil
        return Terminal(
            columns: size?.columns, rows: size?.rows, isTinted: canSteer && !isPlain, canSteer: canSteer)
    }

    /// Whether a stream leads to a terminal that takes cursor controls; an editor's denies it by `TERM=dumb`.
    static func canSteer(_ descriptor: CInt) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether somebody is there who can answer a question.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// The text in a colour, where there are colours.
    func tinted(_ text: String, _ tint: Tint) -> String {
        isTinted ? Self.escaped(text, tint) : text
    }

    /// The text between the escape sequences of a colour (ECMA-48, SGR).
    static func escaped(_ text: String, _ tint: Tint) -> String {
        "\u{1B}[\(tint.rawValue)m\(text)\u{1B}[0m"
    }

    /// The size; if the terminal does not tell, as serial lines do not, the usual one.
    private static func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return (80, 24) }
        return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
