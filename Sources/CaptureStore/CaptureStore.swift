public import CaptureModel

/// The record: devices, counters and provenance results, as gateways, workers and operators see it.
///
/// Correctness rests here: ``settle(_:policy:)`` decides counters and results of a batch in one transaction.
public protocol CaptureStore: Sendable {
    /// Registers a device, unless its key or its id is registered already.
    ///
    /// A key held only by an unverified device may be registered by a verified one, which takes its place: from that
    /// moment on the unverified one counts as revoked. Revocation sticks to the key: a revoked device is not replaced.
    /// A key's counters outlive every registration and are never lowered. Registering the same device under the same id
    /// again is `created` again, so that a caller who did not get the answer may ask once more.
    func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationOutcome

    /// Reads devices; ids that are not registered are missing from the answer.
    func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device]

    /// Revokes a device from a moment on; `false` when there is none of this id.
    ///
    /// A device that is revoked already keeps the earlier of the two moments. The audit notes it either way.
    func revoke(_ device: DeviceID, at moment: Timestamp, reason: String, actor: String) async throws(StoreError)
        -> Bool

    /// Everything on one device, evidence included; `nil` when there is none of this id.
    func record(of device: DeviceID) async throws(StoreError) -> DeviceRecord?

    /// Lists devices, newest first, after the given one.
    func listDevices(after: DeviceID?, limit: Int) async throws(StoreError) -> [Device]

    /// Advances the counter of a key's *requests* iff it is greater than the stored one.
    func advanceRequestCounter(of key: KeyID, to counter: UInt32) async throws(StoreError) -> Bool

    /// The highest counter of an accepted capture of a key; 0 when there is none.
    func highestCaptureCounter(of key: KeyID) async throws(StoreError) -> UInt32

    /// Decides a batch in one transaction: counters checked and advanced, results written, all or nothing.
    ///
    /// A capture that has a result keeps it. Captures of one key count in the order of the array. Only an accepted
    /// capture uses its counter up. A capture whose device was revoked or superseded when it was received is rejected
    /// here, whatever the verification saw. A batch with a capture that is neither rejected nor has a counter and a
    /// confidence is `refused` as a whole: that is a fault of the caller.
    /// - Returns: One decision per capture, in the order of the array.
    func settle(_ batch: [VerifiedCapture], policy: CounterPolicy) async throws(StoreError) -> [SettledCapture]

    /// Reads results; captures without one are missing from the answer.
    func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult]

    /// Notes what an operator or a program did, all of it or nothing. Registrations and revocations note themselves.
    func recordAudit(_ entries: [AuditEntry]) async throws(StoreError)

    /// What was done to a subject, latest first.
    func auditTrail(of subject: String, limit: Int) async throws(StoreError) -> [AuditEntry]

    /// Answers when the record can be reached.
    func ping() async throws(StoreError)
}

extension CaptureStore {
    /// Notes one thing that an operator or a program did.
    public func recordAudit(_ entry: AuditEntry) async throws(StoreError) {
        try await recordAudit([entry])
    }
}

/// What became of a registration.
public enum RegistrationOutcome: Sendable, Equatable {
    /// The device is registered.
    case created
    /// The key is registered to another device, or the id with another key.
    case conflict
}

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
    /// SQLSTATE classes 21 and 22 (data), 23 (constraints), 54 (limits of a row), P0 (raised by a function) and XX (a damaged
    /// row or index), and what is refused without having been sent. Any other refusal (no permission, no such function)
    /// meets everybody alike until an operator mends it.
    public var concernsContent: Bool {
        guard code == .refused || code == .malformedRow else { return false }
        return sqlState.map { ["21", "22", "23", "54", "P0", "XX"].contains($0.prefix(2)) } ?? true
    }

    /// Kind and message, safe for logs.
    public var description: String { "store \(code)\(sqlState.map { " \($0)" } ?? ""): \(message)" }

    /// By kind.
    public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}
