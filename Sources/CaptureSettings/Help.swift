package import CaptureModel

/// The text of `--help` for the two servers.
package enum Help {
    /// The columns of a terminal of the usual width.
    private static let columnsMax = 80

    /// The program's purpose and every setting with its flag, range and default, in lines of 80 columns.
    package static func text(program: ProgramName, purpose: String) -> String {
        var lines = wrapped("\(program): \(purpose)", indent: 0)
        lines += [
            "", "Usage: \(program) [--config FILE] [--SETTING VALUE …]",
            "       \(program) --print-settings | --version | --help", "",
        ]
        lines += [
            "Flags override the environment (CAPTURE_…), which overrides the file",
            "(CAPTURE_CONFIG or --config). --print-settings shows what is in force, or what a",
            "start would refuse: it is the dry run. An address with a password belongs in the",
            "environment or in a file: ps shows flags to everybody.", "",
        ]
        for setting in Setting.all {
            lines.append("  \(setting.flagNames(in: program).joined(separator: ", "))")
            lines += wrapped(setting.summary, indent: 6)
            let standard = setting.standard.map { "default \($0)" } ?? "not set by default"
            // A range and a default are not broken, as people search for them.
            let phrases = ["\(setting.key),", "\(setting.environmentName):", "\(setting.range);", standard]
            lines += wrapped(phrases, indent: 6)
        }
        return lines.joined(separator: "\n")
    }

    /// The lines of a text, broken between words.
    private static func wrapped(_ text: String, indent: Int) -> [String] {
        wrapped(text.split(separator: " ").map(String.init), indent: indent)
    }

    /// The phrases in indented lines, none of them broken; one that is too long for a line has a line of its own.
    private static func wrapped(_ phrases: [String], indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for phrase in phrases {
            if !line.isEmpty, indent + line.count + 1 + phrase.count > columnsMax {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? phrase : " \(phrase)"
        }
        return line.isEmpty ? lines : lines + [margin + line]
    }
}
