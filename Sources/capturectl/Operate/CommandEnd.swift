import ArgumentParser
import CaptureSettings

/// The exit codes of the operators' commands, which scripts rely on.
enum CommandEnd {
    /// Something is wrong, was not found, or was declined.
    static let problems = ExitCode(1)
    /// A server cannot be reached, refuses the login, or cannot do it now (`EX_UNAVAILABLE`).
    static let unavailable = ExitCode(69)
    /// A server refuses for good: configuration or a bug (`EX_SOFTWARE`).
    static let refused = ExitCode(70)
    /// The reader of the output is gone: the code that a shell sees when SIGPIPE ends a program.
    ///
    /// The signal itself is ignored, as a server that closes its socket would raise it too.
    static let readerGone = ExitCode(141)

    /// The answer could not be written, so nobody has it (`EX_IOERR`).
    static let unwritten = ExitCode(74)
    /// The input could not be read to its end (`EX_IOERR`).
    static let unread = ExitCode(74)

    /// For the help of each command.
    static let help = """
        Exit codes: 0 done; 1 something is wrong, was not found, or was declined; 64 bad usage; 69 Redis or PostgreSQL \
        cannot be reached or logged in to, or cannot do it now; 70 one of them refuses for good; 74 the answer could \
        not be written; 130 and 143 Ctrl-C or SIGTERM ended it.
        """

    /// The error that ends a command; a server's fault is reported first, and invalid settings are bad usage.
    /// - Parameter settings: Tell where the server is; one that is away does not say.
    static func reported(_ error: any Error, _ settings: Settings) -> any Error {
        if let fault = CommandFault(behind: error, settings) {
            standardError("capturectl: \(fault.line)\n")
            return fault.exitCode
        }
        return switch error {
        case let error as SettingsError: ValidationError(error.description)
        case let error as OutputClosed: reported(error)
        default: error
        }
    }

    /// The code for an answer that could not be written; reported on the error stream unless the reader is gone.
    static func reported(_ error: OutputClosed) -> ExitCode {
        guard !error.isReaderGone else { return readerGone }
        standardError("capturectl: \(error)\n")
        return unwritten
    }

    /// The code for an input that could not be read to its end, which is reported on the error stream.
    static func reported(_ fault: InputFault) -> ExitCode {
        standardError("capturectl: \(fault)\n")
        return unread
    }
}
