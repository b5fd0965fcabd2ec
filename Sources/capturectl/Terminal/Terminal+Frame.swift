extension Terminal {
    /// A text to be redrawn in place, no wider than the terminal and no taller, with the cursor below.
    ///
    /// If there is no room, the first lines stay; the foot always does.
    func frame(_ text: String, foot: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // A blank line, the foot, and the line of the cursor.
        let room = max(1, rows.map { $0 - 3 } ?? lines.count)
        if lines.count > room {
            let left = TerminalText.count(lines.count - room + 1, "line")
            lines = Array(lines.prefix(room - 1)) + [tinted("… and \(left): capturectl stats", .faint)]
        }
        return (lines + ["", foot]).map(cut).joined(separator: "\n")
    }

    /// A line cut to the terminal's width, with its colours.
    func cut(_ line: String) -> String {
        guard let columns, Self.width(of: line) > columns else { return line }
        var (cut, width, isSign) = ("", 0, false)
        for character in line {
            if character == "\u{1B}" { isSign = true }
            guard !isSign else {
                cut.append(character)
                isSign = character != "m"
                continue
            }
            let next = width + DisplayWidth.of(character)
            guard next < columns else { break }
            cut.append(character)
            width = next
        }
        return cut + "…" + (line.contains("\u{1B}") ? "\u{1B}[0m" : "")
    }

    /// The columns of a line without its colour sequences.
    private static func width(of line: String) -> Int {
        var (width, isSign) = (0, false)
        for character in line {
            if character == "\u{1B}" { isSign = true }
            if !isSign { width += DisplayWidth.of(character) }
            if character == "m" { isSign = false }
        }
        return width
    }
}
