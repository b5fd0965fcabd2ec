package import CaptureModel
package import Logging
import Observability

extension Settings {
    /// Sets up logging for the whole process and returns the program's logger.
    package func bootstrapLogging(program: ProgramName) -> Logger {
        // "auto" is no format: the handler then decides by whether it writes to a terminal.
        let format = LogFormat(rawValue: required(.logFormat))
        StructuredLogHandler.bootstrap(level: choice(.logLevel), format: format, time: Timestamp.systemTime)
        return Logger(label: program.rawValue)
    }
}
