/// Why the queue could not do what was asked.
///
/// Never a verdict on a capture.
public struct QueueError: Error, Equatable, CustomStringConvertible {
    /// The kind of fault; equality is by kind.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case unavailable, busy, restoring, outcomeUnknown, refused, malformedReply }
        private let base: Base

        /// The server is away, loading, read-only or out of memory: try again.
        public static let unavailable = Code(base: .unavailable)
        /// Nothing was done, and no server is away: too much waits, or what it needs is not there yet.
        public static let busy = Code(base: .busy)
        /// Captures that were accepted before are put back first: try again in a moment.
        public static let restoring = Code(base: .restoring)
        /// The connection broke while the answer was on its way: it may or may not have been done.
        public static let outcomeUnknown = Code(base: .outcomeUnknown)
        /// The server refused the command: configuration or a bug.
        public static let refused = Code(base: .refused)
        /// The answer is not what the function promises.
        public static let malformedReply = Code(base: .malformedReply)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// What happened, without payloads or secrets.
    public let message: String
    /// Whether the server answered, and would not do it: that it answers something else tells nothing about this.
    public let isRefusal: Bool

    /// Notes a fault.
    /// - Parameter isRefusal: Whether the server answered; by default when it has refused for good.
    public init(_ code: Code, _ message: String, isRefusal: Bool? = nil) {
        self.code = code
        self.message = message
        self.isRefusal = isRefusal ?? (code == .refused)
    }

    /// Whether the same call may succeed later.
    public var isTransient: Bool { [.unavailable, .busy, .restoring, .outcomeUnknown].contains(code) }

    /// Kind and message, safe for logs.
    public var description: String { "queue \(code): \(message)" }

    /// By kind.
    public static func == (left: QueueError, right: QueueError) -> Bool { left.code == right.code }
}
