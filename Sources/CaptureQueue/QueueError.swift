/// Why the queue could not do what was asked.
///
/// Never a verdict on a capture.
package struct QueueError: Error, Equatable, CustomStringConvertible {
    /// The kind of fault; equality is by kind.
    package enum Code: String, Sendable {
        /// The server is away, loading, read-only or out of memory: try again.
        case unavailable
        /// Nothing was done, and no server is away: too much waits, or what it needs is not there yet.
        case busy
        /// Captures that were accepted before are put back first: try again in a moment.
        case restoring
        /// The connection broke while the answer was on its way: it may or may not have been done.
        case outcomeUnknown
        /// The server refused the command: configuration or a bug.
        case refused
        /// The answer is not what the function promises.
        case malformedReply
    }

    /// The kind of fault.
    package let code: Code
    /// What happened, without payloads or secrets.
    package let message: String
    /// Whether the server answered, and would not do it: that it answers something else tells nothing about this.
    package let isRefusal: Bool

    /// Notes a fault.
    /// - Parameter isRefusal: Whether the server answered; by default when it has refused for good.
    package init(_ code: Code, _ message: String, isRefusal: Bool? = nil) {
        self.code = code
        self.message = message
        self.isRefusal = isRefusal ?? (code == .refused)
    }

    /// Whether the same call may succeed later.
    package var isTransient: Bool { [.unavailable, .busy, .restoring, .outcomeUnknown].contains(code) }

    /// Kind and message, safe for logs.
    package var description: String { "queue \(code): \(message)" }

    /// By kind.
    package static func == (left: QueueError, right: QueueError) -> Bool { left.code == right.code }
}
