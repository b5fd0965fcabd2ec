import ArgumentParser
import CaptureOperations
import CaptureQueue
import CaptureSettings
import CaptureStore
import FoundationEssentials
import PostgresClient

/// How the operators' commands end; scripts go by these.
enum CommandEnd {
    /// Something was found to be wrong, or was not found, or was declined.
    static let problems = ExitCode(1)
    /// A server cannot be reached or logged in to, or cannot do it now (`EX_UNAVAILABLE`).
    static let unavailable = ExitCode(69)
    /// A server refuses for good: configuration or a bug (`EX_SOFTWARE`).
    static let refused = ExitCode(70)
    /// Nobody reads the output any more: what a shell sees of a program that SIGPIPE ends.
    ///
    /// The signal itself is ignored, as a server that closes its socket would send it too.
    static let readerGone = ExitCode(141)

    /// The answer could not be written, so that nobody has it (`EX_IOERR`).
    static let unwritten = ExitCode(74)
    /// What was to be answered could not be read to its end (`EX_IOERR`).
    static let unread = ExitCode(74)

    /// For the help of each command.
    static let help = """
        Exit codes: 0 done; 1 something is wrong, was not found, or was declined; 64 bad usage; 69 Redis or PostgreSQL \
        cannot be reached or logged in to, or cannot do it now; 70 one of them refuses for good; 74 the answer could \
        not be written.
        """

    /// The code for a fault of a server, which is told on the error stream; settings that make no sense are bad usage.
    /// - Parameter settings: Name the server in what is told: one that is away may say nothing of itself.
    static func of(_ error: any Error, _ settings: Settings) -> any Error {
        switch error {
        case ServerFault.queue(let error): return of(error, settings)
        case ServerFault.store(let error): return of(error, settings)
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

    /// libpq says first where it was, which is told behind.
    private static func withoutPlace(_ message: String) -> String {
        guard message.hasPrefix("connection to server "), let end = message.firstRange(of: " failed: ") else {
            return message
        }
        return String(message[end.upperBound...])
    }

    /// That nobody has named a server, where that is so: mostly the settings were forgotten.
    private static func defaulted(_ variable: String, _ settings: Settings) -> String {
        guard settings.file == nil, ProcessInfo.processInfo.environment[variable] == nil else { return "" }
        return ", the default: neither --config nor CAPTURE_CONFIG names a file, nor \(variable) a server"
    }

    private static func names(_ settings: Settings) -> ServerNames? {
        // Settings that name none have an error of their own, which is the one that is told.
        do throws(SettingsError) { return try ServerNames(settings) } catch { return nil }
    }

    /// The code for an answer that could not be written, which is told on the error stream unless nobody wants it.
    static func ofOutput(_ error: OutputClosed) -> ExitCode {
        guard !error.isReaderGone else { return readerGone }
        standardError("capturectl: \(error)\n")
        return unwritten
    }

    /// The code for an input that could not be read to its end, which is told on the error stream.
    static func ofInput(_ fault: InputFault) -> ExitCode {
        standardError("capturectl: \(fault)\n")
        return unread
    }

    /// Tells a fault on the error stream, and gives its code.
    /// - Parameter more: What else to say of the place.
    static func fault(
        of server: String, _ message: String, at place: String? = nil, _ more: String = "", isTransient: Bool
    ) -> ExitCode {
        var fault = ShownText.line(message.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        // Some name the place themselves.
        if let place, let range = fault.firstRange(of: "\(place): ") { fault.removeSubrange(range) }
        standardError("capturectl: \(server): \(fault)\(place.map { " (\($0)\(more))" } ?? "")\n")
        return isTransient ? unavailable : refused
    }
}
