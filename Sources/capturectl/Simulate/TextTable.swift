/// Lines text up in columns.
struct TextTable {
    /// Where a column's text stands.
    enum Alignment {
        case leading
        case trailing
    }

    private let titles: [String]
    private let alignments: [Alignment]
    private var rows: [[String]] = []

    /// Starts a table.
    init(_ columns: [(title: String, alignment: Alignment)]) {
        titles = columns.map(\.title)
        alignments = columns.map(\.alignment)
    }

    /// Appends a row with a text for each column.
    mutating func append(_ row: [String]) {
        rows.append(row)
    }

    /// The table, titles first, each line without trailing space.
    var text: String {
        let widths = titles.indices.map { column in
            ([titles] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([titles, widths.map { String(repeating: "─", count: $0) }] + rows)
            .map { line($0, widths) }
            .joined(separator: "\n")
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: widths[column] - cell.count)
            if column > 0 { line += "  " }
            line += alignments[column] == .leading ? cell + padding : padding + cell
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
