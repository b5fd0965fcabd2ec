import ArgumentParser
import CaptureOperations
import CaptureQueue
import CaptureSettings
import CaptureStore
import PostgresClient

/// How the operators' commands end; scripts go by these.
enum CommandEnd {
    /// Something was found to be wrong, or was not found, or was declined.
    static let problems = ExitCode(1)
    /// A server cannot be reached or cannot do it now (`EX_UNAVAILABLE`).
    static let unavailable = ExitCode(69)
    /// A server refuses: configuration or a bug (`EX_SOFTWARE`).
    static let refused = ExitCode(70)
    /// Nobody reads the output any more: what a shell sees of a program that SIGPIPE ends.
    ///
    /// The signal itself is ignored, as a server that closes its socket would send it too.
    static let readerGone = ExitCode(141)

    /// The answer could not be written, so that nobody has it (`EX_IOERR`).
    static let unwritten = ExitCode(74)

    /// For the help of each command.
    static let help = """
        Exit codes: 0 done; 1 something is wrong, was not found, or was declined; 64 bad usage; 69 Redis or PostgreSQL \
        cannot be reached; 70 one of them refuses; 74 the answer could not be written.
        """

    /// The code for a fault of a server, which is told on the error stream; settings that make no sense are bad usage.
    static func of(_ error: any Error) -> any Error {
        switch error {
        case OperatorDesk.Fault.queue(let error): return of(error)
        case OperatorDesk.Fault.store(let error): return of(error)
        case let error as QueueError:
            return fault(of: "Redis", error.message, isTransient: error.isTransient)
        case let error as StoreError:
            return fault(of: "PostgreSQL", error.message, isTransient: error.isTransient)
        case let error as SettingsError: return ValidationError(error.description)
        case let error as PostgresError:
            return fault(of: "PostgreSQL", error.message, isTransient: error.isTransient)
        case let error as OutputClosed: return ofOutput(error)
        default: return error
        }
    }

    /// The code for an answer that could not be written, which is told on the error stream unless nobody wants it.
    static func ofOutput(_ error: OutputClosed) -> ExitCode {
        guard !error.isReaderGone else { return readerGone }
        standardError("capturectl: \(error)\n")
        return unwritten
    }

    /// Tells a fault on the error stream, and gives its code.
    static func fault(of server: String, _ message: String, isTransient: Bool) -> ExitCode {
        standardError("capturectl: \(server): \(message)\n")
        return isTransient ? unavailable : refused
    }
}
