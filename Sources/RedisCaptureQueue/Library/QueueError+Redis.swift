import CaptureQueue
import RedisClient

extension QueueError {
    /// Translates a fault of the client for the caller of the queue.
    init(_ error: RedisError) {
        switch error.code {
        case .timeout, .outcomeUnknown, .cancelled:
            self.init(.outcomeUnknown, error.message)
        case .protocolViolation:
            self.init(.malformedReply, error.message)
        case .configuration:
            self.init(.refused, error.message)
        // The bytes expired before their capture was enqueued, or came while a worker had their capture: the sender can
        // send them again.
        case .server where ["MISSING_BUNDLE", "TRYAGAIN"].contains(error.serverPrefix):
            self.init(.busy, error.message)
        case .server where error.serverPrefix == "RESTORING":
            self.init(.restoring, error.message)
        // As if the server were away: the program ends when it looks next whose Redis this is.
        case .server where error.serverPrefix == "OTHER_INSTALLATION":
            self.init(.unavailable, error.message, isRefusal: true)
        case .server:
            self.init(error.isTransient ? .unavailable : .refused, error.message, isRefusal: Self.isRefusal(error))
        case .connection, .closed:
            self.init(.unavailable, error.message)
        // The command was never written: that says nothing about the server.
        case .busy, .backlogFull:
            self.init(.busy, error.message)
        }
    }

    /// Whether the server answers but will not run the command; one that starts or fails over answers nothing.
    private static func isRefusal(_ error: RedisError) -> Bool {
        guard error.isTransient else { return true }
        return error.serverPrefix.map(writesRefused.contains) ?? false
    }

    /// The prefixes with which a server refuses only writes.
    private static let writesRefused: Set<String> = ["READONLY", "OOM", "MISCONF", "NOREPLICAS"]

    /// The fault of a key that somebody has written over, in the words of the functions.
    static func damaged(_ key: String) -> QueueError {
        QueueError(.refused, "DAMAGED \(key) is of another type")
    }

    /// The fault of an answer that does not have the promised form.
    static func malformed(_ what: String) -> QueueError {
        QueueError(.malformedReply, "unexpected answer of \(what)")
    }

    /// The fault of a function's answer that does not have the promised form.
    static func malformed(_ function: QueueFunction) -> QueueError { malformed(function.rawValue) }
}

/// Runs a call of the client and throws its fault as the queue's.
func asQueueError<Value>(
    _ body: () async throws(RedisError) -> Value
) async throws(QueueError) -> Value {
    do {
        return try await body()
    } catch {
        throw QueueError(error)
    }
}
