/// Lines text up in columns.
struct TextTable {
    /// The alignment of a column.
    enum Alignment {
        case leading
        case trailing
    }

    /// The minimum width of a column that is cut.
    private static let flexibleWidthMin = 12

    private let titles: [String]
    private let alignments: [Alignment]
    private var rows: [[String]] = []
    private let tint: (_ column: Int, _ text: String) -> Terminal.Tint?

    /// Starts a table.
    /// - Parameters:
    ///   - columns: Titles and alignments.
    ///   - tint: Chooses the colour of a cell by its text.
    init(
        _ columns: [(title: String, alignment: Alignment)],
        tint: @escaping (_ column: Int, _ text: String) -> Terminal.Tint? = { _, _ in nil }
    ) {
        titles = columns.map(\.title)
        alignments = columns.map(\.alignment)
        self.tint = tint
    }

    /// Appends a row with a text for each column, which may be in others' words.
    mutating func append(_ row: [String]) {
        rows.append(row.map(ShownText.line))
    }

    /// The table, titles first, each line without trailing space.
    var text: String { text(for: Terminal(columns: nil, isTinted: false), flexible: nil) }

    /// The table, with the flexible column's texts cut so that rows fit the terminal.
    ///
    /// Where fewer than 12 columns would be left of them, nothing is cut: rows wrap in any case, and are whole then.
    func text(for terminal: Terminal, flexible: Int?) -> String {
        var widths = titles.indices.map { column in
            ([titles] + rows).map { DisplayWidth.of($0[column]) }.max() ?? 0
        }
        if let columns = terminal.columns, let flexible {
            let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - columns
            let rest = widths[flexible] - excess
            if excess > 0, rest >= Self.flexibleWidthMin { widths[flexible] = rest }
        }
        let head = [titles, widths.map { String(repeating: "─", count: $0) }].map { line($0, widths) { _, _ in nil } }
        let body = rows.map { line($0, widths) { terminal.isTinted ? tint($0, $1) : nil } }
        return (head + body).joined(separator: "\n")
    }

    private func line(
        _ cells: [String], _ widths: [Int], _ tint: (Int, String) -> Terminal.Tint?
    ) -> String {
        var line = ""
        for (column, whole) in cells.enumerated() {
            let cell = DisplayWidth.of(whole) > widths[column] ? Self.cut(whole, to: widths[column]) : whole
            let padding = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell))
            let text = tint(column, whole).map { Terminal.escaped(cell, $0) } ?? cell
            if column > 0 { line += "  " }
            line += alignments[column] == .leading ? text + padding : padding + text
        }
        while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
        return line
    }

    /// A text cut to a width, with an ellipsis.
    private static func cut(_ text: String, to columns: Int) -> String {
        var (cut, width) = ("", 0)
        for character in text {
            width += DisplayWidth.of(character)
            guard width < columns else { break }
            cut.append(character)
        }
        return cut + "…"
    }
}
