import ArgumentParser
import CaptureOperations
import CaptureQueue
import CaptureSettings
import CaptureStore
import FoundationEssentials
import PostgresClient

/// A server's fault as a command reports it, made without reporting it: ``CommandEnd/reported(_:_:)`` does that once.
struct CommandFault: Error {
    /// The server, what it says, and where it is.
    let line: String
    /// Whether the same command may succeed later.
    let isTransient: Bool

    /// The code that the command ends with.
    var exitCode: ExitCode { isTransient ? CommandEnd.unavailable : CommandEnd.refused }

    /// Notes a fault of a server.
    /// - Parameter remark: A remark on the place.
    init(of server: String, _ message: String, at place: String? = nil, _ remark: String = "", isTransient: Bool) {
        var text = ShownText.line(message.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        // Some messages contain the place already.
        if let place, let range = text.firstRange(of: "\(place): ") { text.removeSubrange(range) }
        line = "\(server): \(text)" + (place.map { " (\($0)\(remark))" } ?? "")
        self.isTransient = isTransient
    }

    /// The server's fault behind an error; `nil` if there is none.
    /// - Parameter settings: Tell where the server is; one that is away does not say.
    init?(behind error: any Error, _ settings: Settings) {
        switch error {
        case let fault as CommandFault: self = fault
        case ServerFault.queue(let error): self.init(queue: error, settings)
        case ServerFault.store(let error): self.init(record: error, settings)
        case let error as QueueError: self.init(queue: error, settings)
        case let error as StoreError: self.init(record: error, settings)
        case let error as PostgresError:
            self.init(
                ofRecord: error.message, isOfSchema: error.isOfSchema, isTransient: error.isTransient, settings)
        default: return nil
        }
    }

    /// PostgreSQL's fault, with what follows from it for the command, if that is not plain.
    init(record error: StoreError, _ settings: Settings, consequence: String? = nil) {
        self.init(
            ofRecord: error.message, isOfSchema: error.isOfSchema, isTransient: error.isTransient, settings,
            consequence: consequence)
    }

    private init(queue error: QueueError, _ settings: Settings) {
        guard error.server == .queue else {
            self.init(of: "bundle directory", error.message, isTransient: error.isTransient)
            return
        }
        let advice = error.isOfDamagedKey ? "; somebody has written over it by hand: capturectl doctor" : ""
        self.init(
            of: "Redis", error.message + advice, at: Self.names(settings)?.redis,
            Self.defaulted("CAPTURE_REDIS_URL", settings), isTransient: error.isTransient)
    }

    private init(
        ofRecord message: String, isOfSchema: Bool, isTransient: Bool, _ settings: Settings, consequence: String? = nil
    ) {
        let lead = consequence.map { "\($0): " } ?? ""
        let advice = isOfSchema ? "; its schema is not this release's: capturectl doctor" : ""
        self.init(
            of: "PostgreSQL", lead + Self.withoutPlace(message) + advice, at: Self.names(settings)?.postgres,
            Self.defaulted("CAPTURE_POSTGRES_URL", settings), isTransient: isTransient)
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
}
