public import Logging
import Observability

extension Settings {
    /// Sets up logging for the whole process and gives the program's logger.
    public func bootstrapLogging(program: String) -> Logger {
        let level = Logger.Level(rawValue: text(.logLevel) ?? "") ?? .info
        let format = LogFormat(rawValue: text(.logFormat) ?? "") ?? .auto
        StructuredLogHandler.bootstrap(format: format, level: level)
        return Logger(label: program)
    }
}
