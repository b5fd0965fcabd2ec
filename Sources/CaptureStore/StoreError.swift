/// Why the record could not do what was asked.
///
/// Never a verdict on a capture.
public struct StoreError: Error, Equatable, CustomStringConvertible {
    /// The kind of fault; equality is by kind.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case unavailable, busy, outcomeUnknown, conflict, refused, malformedRow }
        private let base: Base

        /// The server is away or out of connections: try again.
        public static let unavailable = Code(base: .unavailable)
        /// Nothing was done, as too many calls wait here: try again.
        public static let busy = Code(base: .busy)
        /// The connection broke while the answer was on its way: it may or may not have been done.
        public static let outcomeUnknown = Code(base: .outcomeUnknown)
        /// Serialization failure, deadlock, lock or statement timeout: try again.
        public static let conflict = Code(base: .conflict)
        /// The server refused the statement: configuration, a missing migration or a bug.
        public static let refused = Code(base: .refused)
        /// A row is not what the schema promises.
        public static let malformedRow = Code(base: .malformedRow)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// What happened, without arguments or secrets.
    public let message: String
    /// PostgreSQL's code, where it gave one.
    public let sqlState: String?

    /// Notes a fault.
    public init(_ code: Code, _ message: String, sqlState: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
    }

    /// Whether the same call may succeed later.
    public var isTransient: Bool { [.unavailable, .busy, .outcomeUnknown, .conflict].contains(code) }

    /// Whether the refusal is of what was sent, so that it may concern a single capture of a batch.
    ///
    /// SQLSTATE classes 21 and 22 (data), 23 (constraints), 54 (limits of a row), P0 (raised by a function) and XX (a
    /// damaged row or index), and what is refused without having been sent. Any other refusal (no permission, no such
    /// function) meets everybody alike until an operator mends it.
    public var concernsContent: Bool {
        guard code == .refused || code == .malformedRow else { return false }
        return sqlState.map { ["21", "22", "23", "54", "P0", "XX"].contains($0.prefix(2)) } ?? true
    }

    /// Whether the server has met a damaged row or index, or a fault of its own: SQLSTATE class XX.
    public var isDamage: Bool { sqlState?.hasPrefix("XX") ?? false }

    /// Whether the server answered, and would not do it: that it answers something else tells nothing about this.
    ///
    /// Not so of SQLSTATE classes 08 (connection) and 57P (shutdown, starting), nor of 53300 (too many connections):
    /// those meet whoever asks for anything. Nor of 25P (a session that was ended for our own silence).
    public var isRefusal: Bool {
        guard code == .unavailable || code == .refused, let sqlState else { return false }
        return !["08", "25P", "57P"].contains(where: sqlState.hasPrefix) && sqlState != "53300"
    }

    /// Kind and message, safe for logs.
    public var description: String { "store \(code)\(sqlState.map { " \($0)" } ?? ""): \(message)" }

    /// By kind.
    public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}
