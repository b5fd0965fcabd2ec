package import CaptureModel
package import Logging
import Observability

extension Settings {
    /// Sets up logging for the whole process and returns the program's logger.
    package func bootstrapLogging(program: ProgramName) -> Logger {
        let level = Logger.Level(rawValue: text(.logLevel) ?? "") ?? .info
        // "auto" is no format: the handler then decides by whether it writes to a terminal.
        let format = text(.logFormat).flatMap { LogFormat(rawValue: $0) }
        StructuredLogHandler.bootstrap(level: level, format: format, time: Timestamp.systemTime)
        return Logger(label: program.rawValue)
    }
}
