public import CaptureModel

/// The text of `--help` for the two servers.
public enum Help {
    /// What the program does and every setting with its flag, range and default.
    public static func text(program: ProgramName, purpose: String) -> String {
        var lines = [
            "\(program): \(purpose)", "",
            "Usage: \(program) [--config FILE] [--SETTING VALUE …]",
            "       \(program) --print-settings | --version | --help", "",
            "Flags override the environment (CAPTURE_…), which overrides the file (CAPTURE_CONFIG or --config).",
            "--print-settings shows what is in force, or what a start would refuse: it is the dry run.",
            "An address with a password belongs in the environment or in a file: ps shows flags to everybody.", "",
        ]
        for setting in Setting.all {
            lines.append("  \(setting.flagNames(in: program).joined(separator: ", "))")
            lines.append("      \(setting.summary)")
            let standard = setting.standard.map { "default \($0)" } ?? "not set by default"
            lines.append("      \(setting.key), \(setting.environmentName): \(setting.range); \(standard)")
        }
        return lines.joined(separator: "\n")
    }
}
