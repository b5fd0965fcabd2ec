/// Facts about one thing, one a line: a name and a value, which may be in others' words.
struct FactList {
    private let terminal: Terminal
    private var rows: [(name: String, value: String)] = []

    /// Starts a list.
    /// - Parameter terminal: Where it will be shown; without one there are no colours.
    init(on terminal: Terminal = Terminal(columns: nil, isTinted: false)) {
        self.terminal = terminal
    }

    /// Adds a fact; an unknown one is left out.
    mutating func add(_ name: String, _ value: String?, _ tint: Terminal.Tint? = nil) {
        guard let shown = value.map(ShownText.line) else { return }
        rows.append((name, tint.map { terminal.tinted(shown, $0) } ?? shown))
    }

    /// Adds several facts of one name, each on a line of its own.
    mutating func add(_ name: String, _ values: [String]) {
        rows += values.enumerated().map { ($0.offset == 0 ? name : "", ShownText.line($0.element)) }
    }

    /// The lines, with the values aligned.
    var text: String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { $0.name + String(repeating: " ", count: width + 2 - $0.name.count) + $0.value }
            .joined(separator: "\n")
    }
}
