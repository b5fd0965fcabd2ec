/// Why the record could not do what was asked.
///
/// Never a verdict on a capture.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    /// The kind of fault; equality is by kind.
    package enum Code: String, Sendable {
        /// The server is away or out of connections: try again.
        case unavailable
        /// Nothing was done, as too many calls wait here: try again.
        case busy
        /// The connection broke while the answer was on its way: it may or may not have been done.
        case outcomeUnknown
        /// Serialization failure, deadlock, lock or statement timeout: try again.
        case conflict
        /// The server refused the statement: configuration, a missing migration or a bug.
        case refused
        /// A row is not what the schema promises.
        case malformedRow
    }

    /// Whom a fault meets.
    package enum Scope: Sendable {
        /// What was sent: it may be a single capture of a batch.
        case content
        /// Whatever comes to a damaged row or index, or to a fault of the server's own.
        case damage
        /// Whoever writes: the server only reads.
        case writers
        /// Whoever asks, until the server is back or an operator has mended it.
        case everybody
    }

    /// The kind of fault.
    package let code: Code
    /// What happened, without arguments or secrets.
    package let message: String
    /// Whom it meets.
    package let scope: Scope
    /// Whether the server answered, and would not do it: that it answers something else tells nothing about this.
    package let isRefusal: Bool
    /// Whether the record's schema is not the one that was asked: it is older, or there is none.
    package let isOfSchema: Bool
    /// The server's own name of the fault: told, and nothing is decided by it.
    private let serverCode: String?

    /// Notes a fault.
    /// - Parameters:
    ///   - scope: Whom it meets; by default what was sent where it was refused or cannot be read, and else everybody.
    ///   - isRefusal: Whether the server answered, and would not do it.
    ///   - isOfSchema: Whether the record's schema is not the one that was asked.
    ///   - serverCode: The server's own name of the fault, where it gave one.
    package init(
        _ code: Code, _ message: String, scope: Scope? = nil, isRefusal: Bool = false, isOfSchema: Bool = false,
        serverCode: String? = nil
    ) {
        self.code = code
        self.message = message
        self.scope = scope ?? ([.refused, .malformedRow].contains(code) ? .content : .everybody)
        self.isRefusal = isRefusal
        self.isOfSchema = isOfSchema
        self.serverCode = serverCode
    }

    /// Whether the same call may succeed later.
    package var isTransient: Bool { [.unavailable, .busy, .outcomeUnknown, .conflict].contains(code) }

    /// Whether the refusal is of what was sent, so that it may concern a single capture of a batch.
    ///
    /// Any other one (no permission, no such function) meets everybody alike until an operator mends it.
    package var concernsContent: Bool { scope == .content || scope == .damage }

    /// Whether the server has met a damaged row or index, or a fault of its own.
    package var isDamage: Bool { scope == .damage }

    /// Kind and message, safe for logs.
    package var description: String { "store \(code)\(serverCode.map { " \($0)" } ?? ""): \(message)" }

    /// By kind.
    package static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}
