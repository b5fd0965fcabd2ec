/// Why the queue could not do what was asked.
///
/// Never a verdict on a capture.
package struct QueueError: Error, Equatable, CustomStringConvertible {
    /// The kind of fault; equality is by kind.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case unavailable, busy, restoring, outcomeUnknown, refused, malformedReply }
        private let base: Base

        /// The server is away, loading, read-only or out of memory: try again.
        package static let unavailable = Code(base: .unavailable)
        /// Nothing was done, and no server is away: too much waits, or what it needs is not there yet.
        package static let busy = Code(base: .busy)
        /// Captures that were accepted before are put back first: try again in a moment.
        package static let restoring = Code(base: .restoring)
        /// The connection broke while the answer was on its way: it may or may not have been done.
        package static let outcomeUnknown = Code(base: .outcomeUnknown)
        /// The server refused the command: configuration or a bug.
        package static let refused = Code(base: .refused)
        /// The answer is not what the function promises.
        package static let malformedReply = Code(base: .malformedReply)

        /// The code's name.
        package var description: String { base.rawValue }
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
