import CaptureModel
import Observability

extension Setting {
    // MARK: Programs

    package static let stopLimit = Setting(
        "program.stopLimit", .duration(.milliseconds(100) ... .seconds(600)), "25s",
        "How long work in flight may take after SIGTERM before it is cut off (exit 75 if that needs more than 5 s)."
    )
    package static let logLevel = Setting(
        "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error"]), "info",
        "The least that is logged."
    )
    package static let logFormat = Setting(
        "log.format", .choice(LogFormat.allCases.map(\.rawValue) + ["auto"]), "auto",
        "JSON lines, plain text, or plain text on a terminal only."
    )

    /// The settings of every program.
    static let programs = [stopLimit, logLevel, logFormat]

    /// Its names on a program's command line: the full one, and a shorter second one where the program has one.
    func flagNames(in program: ProgramName) -> [String] {
        let isShort = program == .worker && key == Self.workerConcurrency.key
        return isShort ? [flagName, "--concurrency"] : [flagName]
    }
}
