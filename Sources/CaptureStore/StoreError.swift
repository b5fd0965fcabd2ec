/// Why the record could not do what was asked.
///
/// Never a verdict on a capture. Every call of the record may throw any of the codes. After all of them but
/// ``Code/outcomeUnknown`` and ``Code/malformedRow`` nothing was done; of a call that only reads, `outcomeUnknown` says no
/// more than `unavailable`.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    /// The kind of fault; equality is by kind.
    package enum Code: String, Sendable {
        /// The server is away, or out of connections or something else that it needs: try again.
        case unavailable
        /// Too many calls wait here, so nothing was done: try again.
        case busy
        /// The connection broke before the answer came: the call may or may not have taken effect.
        case outcomeUnknown
        /// Serialization failure, deadlock, lock or statement timeout: try again.
        case conflict
        /// The server refused the statement: configuration, a missing migration or a bug.
        case refused
        /// A row does not match the schema.
        case malformedRow
    }

    /// Which calls a fault affects.
    package enum Scope: Sendable {
        /// The call with these arguments; a single capture of a batch may be the cause.
        case content
        /// Every call that meets a damaged row or index, or an internal fault of the server.
        case damage
        /// Every call that writes: the server only reads.
        case writers
        /// Every call that writes what is new: the server has no ids left, or cannot make a file longer.
        case limit
        /// Every call, until the server is back or an operator has mended it.
        case everybody
    }

    /// The kind of fault.
    package let code: Code
    /// What happened, without arguments or secrets.
    package let message: String
    /// The calls that the fault affects.
    package let scope: Scope
    /// Whether the server answered with a refusal: its answers to other calls say nothing about this one.
    package let isRefusal: Bool
    /// Whether the record's schema is older than the call needs, or missing.
    package let isOfSchema: Bool
    /// The server's own name of the fault, for logs only.
    private let serverCode: String?

    /// Notes a fault.
    /// - Parameters:
    ///   - scope: The calls affected; by default `content` for `refused` and `malformedRow`, otherwise `everybody`.
    ///   - isRefusal: Whether the server answered with a refusal.
    ///   - isOfSchema: Whether the record's schema is older than the call needs, or missing.
    ///   - serverCode: The server's own name of the fault, if it gave one.
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

    /// Whether the fault concerns the arguments or damaged data, so that a single capture of a batch may be the cause.
    ///
    /// Any other refusal (no permission, no such function) meets every call until an operator mends it.
    package var mayBeOfOneCapture: Bool { scope == .content || scope == .damage }

    /// Whether the server has met a damaged row or index, or an internal fault.
    package var isDamage: Bool { scope == .damage }

    /// Kind and message, safe for logs.
    package var description: String { "store \(code)\(serverCode.map { " \($0)" } ?? ""): \(message)" }

    /// By kind.
    package static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}
