import ArgumentParser
import CaptureOperations
import CaptureQueue
import CaptureSettings
import CaptureStore
import FoundationEssentials
import PostgresClient

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
        not be written.
        """

    /// The code for a server's fault, which is reported on the error stream; invalid settings are bad usage.
    /// - Parameter settings: Tell where the server is; one that is away does not say.
    static func of(_ error: any Error, _ settings: Settings) -> any Error {
        switch error {
        case ServerFault.queue(let error): return of(error, settings)
        case ServerFault.store(let error): return of(error, settings)
        case let error as QueueError where error.server == .bundles:
            return fault(of: "bundle directory", error.message, isTransient: error.isTransient)
        case let error as QueueError:
            return fault(
                of: "Redis", error.message, at: names(settings)?.redis, defaulted("CAPTURE_REDIS_URL", settings),
                isTransient: error.isTransient)
        case let error as StoreError:
            return ofRecord(error.message, isOfSchema: error.isOfSchema, isTransient: error.isTransient, settings)
        case let error as SettingsError: return ValidationError(error.description)
        case let error as PostgresError:
            return ofRecord(error.message, isOfSchema: error.isOfSchema, isTransient: error.isTransient, settings)
        case let error as OutputClosed: return ofOutput(error)
        default: return error
        }
    }

    private static func ofRecord(
        _ message: String, isOfSchema: Bool, isTransient: Bool, _ settings: Settings
    ) -> ExitCode {
        let advice = isOfSchema ? "; its schema is not this release's: capturectl doctor" : ""
        return fault(
            of: "PostgreSQL", withoutPlace(message) + advice, at: names(settings)?.postgres,
            defaulted("CAPTURE_POSTGRES_URL", settings), isTransient: isTransient)
    }

    /// Removes libpq's leading place, which is reported behind the message.
    private static func withoutPlace(_ message: String) -> String {
        guard message.hasPrefix("connection to server "), let end = message.firstRange(of: " failed: ") else {
            return message
        }
        return String(message[end.upperBound...])
    }

    /// A note that the server's address is the default, if so: mostly the settings were forgotten.
    private static func defaulted(_ variable: String, _ settings: Settings) -> String {
        guard settings.file == nil, ProcessInfo.processInfo.environment[variable] == nil else { return "" }
        return ", the default: neither --config nor CAPTURE_CONFIG names a file, nor \(variable) a server"
    }

    private static func names(_ settings: Settings) -> ServerNames? {
        // Invalid addresses have an error of their own, which is reported instead.
        do throws(SettingsError) { return try ServerNames(settings) } catch { return nil }
    }

    /// The code for an answer that could not be written; reported on the error stream unless the reader is gone.
    static func ofOutput(_ error: OutputClosed) -> ExitCode {
        guard !error.isReaderGone else { return readerGone }
        standardError("capturectl: \(error)\n")
        return unwritten
    }

    /// The code for an input that could not be read to its end, which is reported on the error stream.
    static func ofInput(_ fault: InputFault) -> ExitCode {
        standardError("capturectl: \(fault)\n")
        return unread
    }

    /// Reports a fault on the error stream, and returns its code.
    /// - Parameter more: A remark on the place.
    static func fault(
        of server: String, _ message: String, at place: String? = nil, _ more: String = "", isTransient: Bool
    ) -> ExitCode {
        var fault = ShownText.line(message.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        // Some messages contain the place already.
        if let place, let range = fault.firstRange(of: "\(place): ") { fault.removeSubrange(range) }
        standardError("capturectl: \(server): \(fault)\(place.map { " (\($0)\(more))" } ?? "")\n")
        return isTransient ? unavailable : refused
    }
}
