public import CaptureModel

/// The record and the ledger as lists: what operators page through, count and search.
///
/// Every answer is bounded and found by index, however many results there are.
public protocol CaptureArchive: Sendable {
    /// Captures that pass a filter, newest first, after a place in their order.
    ///
    /// Results come from the record. Captures without a result come from the intake ledger, where there is one; the
    /// queue knows what they are about.
    /// - Parameter limit: 1 to 501: a page and one more.
    func list(
        _ filter: CaptureFilter, after: CapturePosition?, limit: Int
    ) async throws(StoreError) -> [ArchivedCapture]

    /// Captures whose photo, or whose bundle as long as the ledger has its row, has a digest; the first 100, oldest first.
    func captures(of digest: SHA256Digest) async throws(StoreError) -> [CaptureID]

    /// The signed bytes of a device's capture that was received; `nil` when it is not known.
    /// - Parameter device: Whose capture is meant: another one's may have the same id.
    func assertion(of capture: CaptureID, from device: DeviceID) async throws(StoreError) -> [UInt8]?

    /// What became of the captures of a device that were received from a moment on, counted up to
    /// ``DeviceTally/countMax`` of each kind.
    func tally(of device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally

    /// What operators and programs did, latest first.
    /// - Parameters:
    ///   - before: Only what comes before this entry.
    ///   - limit: 1 to 500.
    func auditLog(before: Int64?, limit: Int) async throws(StoreError) -> [NumberedAuditEntry]
}

/// Which captures a list has.
public struct CaptureFilter: Sendable, Equatable {
    /// Verdicts of those with a result; empty: none with a result.
    public var verdicts: Set<Verdict> = Set(Verdict.allCases)
    /// Whether captures without a result are meant, too.
    public var includesOpen = true
    /// Only rejected for one of these reasons; empty: for any or none.
    public var reasons: [Reason] = []
    /// Only with this confidence.
    public var confidence: Confidence?
    /// Only of this device.
    public var device: DeviceID?
    /// Only received at this moment or later.
    public var from: Timestamp?
    /// Only received before this moment.
    public var before: Timestamp?

    /// Starts with all captures.
    public init() {}

    /// The confidences of the results that are meant: rejected ones are those with none.
    package var confidences: [Confidence] {
        Confidence.allCases.filter { level in
            verdicts.contains(level == .none ? .rejected : .verified) && (confidence.map { $0 == level } ?? true)
                && (reasons.isEmpty || level == .none)
        }
    }

    /// Whether captures without a result can be among them.
    package var meansOpen: Bool { includesOpen && reasons.isEmpty && confidence == nil }

    /// Whether nothing passes it, whatever there is: a reason is a rejected one's, a confidence a verified one's.
    package var meansNothing: Bool { confidences.isEmpty && !meansOpen }
}

/// Where a page of captures ends and the next begins: newest first by the time of receipt, then by id.
public struct CapturePosition: Sendable, Hashable, CustomStringConvertible {
    /// When it was received.
    public let receivedAt: Timestamp
    /// Which capture.
    public let capture: CaptureID

    /// Names a place in the order.
    public init(receivedAt: Timestamp, capture: CaptureID) {
        self.receivedAt = receivedAt
        self.capture = capture
    }

    /// Reads the text form: microseconds since 1970, a colon and the capture's id.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), let capture = CaptureID(parts[1]) else { return nil }
        self.init(receivedAt: Timestamp(microsecondsSince1970: time), capture: capture)
    }

    /// The text form.
    public var description: String { "\(receivedAt.microsecondsSince1970):\(capture)" }

    /// Whether this place comes before another in a list.
    package func precedes(_ other: CapturePosition) -> Bool {
        (receivedAt, capture.description) > (other.receivedAt, other.capture.description)
    }
}

/// One capture of a list.
public struct ArchivedCapture: Sendable, Equatable {
    /// What the record says of one that is settled.
    public struct Result: Sendable, Equatable {
        /// What became of it.
        public var verdict: Verdict
        /// Why it was rejected.
        public var reason: Reason?
        /// How much its evidence carries.
        public var confidence: Confidence
        /// The authenticated counter.
        public var counter: UInt32?
        /// The highest counter of an accepted capture of the key, as it is now.
        public var counterHighest: UInt32?
        /// How often it was tried.
        public var attempts: Int
        /// Whether an operator had redriven it.
        public var redriven: Bool
        /// When a worker verified it.
        public var verifiedAt: Timestamp
        /// Since when the device's key may have been in other hands, if this result is from then or later.
        public var compromisedSince: Timestamp?

        /// Puts a result together.
        public init(
            verdict: Verdict, reason: Reason?, confidence: Confidence, counter: UInt32?, counterHighest: UInt32?,
            attempts: Int, redriven: Bool, verifiedAt: Timestamp, compromisedSince: Timestamp? = nil
        ) {
            self.verdict = verdict
            self.reason = reason
            self.confidence = confidence
            self.counter = counter
            self.counterHighest = counterHighest
            self.attempts = attempts
            self.redriven = redriven
            self.verifiedAt = verifiedAt
            self.compromisedSince = compromisedSince
        }
    }

    /// The capture.
    public let id: CaptureID
    /// Its device.
    public let device: DeviceID
    /// When the gateway had the whole bundle.
    public let receivedAt: Timestamp
    /// What became of it; `nil` while it has no result.
    public let result: Result?

    /// Puts a line of a list together.
    public init(id: CaptureID, device: DeviceID, receivedAt: Timestamp, result: Result?) {
        self.id = id
        self.device = device
        self.receivedAt = receivedAt
        self.result = result
    }

    /// Its place in the order.
    public var position: CapturePosition { CapturePosition(receivedAt: receivedAt, capture: id) }
}

/// What became of a device's captures.
public struct DeviceTally: Sendable, Equatable {
    /// No count goes beyond it: it then means that many or more.
    public static let countMax = 10_000

    /// Verified ones.
    public var verified: Int
    /// Rejected ones.
    public var rejected: Int
    /// Why they were rejected.
    public var reasons: [Reason: Int]
    /// Those that wait for their result.
    public var open: Int

    /// Puts the counts together.
    public init(verified: Int, rejected: Int, reasons: [Reason: Int], open: Int) {
        self.verified = verified
        self.rejected = rejected
        self.reasons = reasons
        self.open = open
    }
}

/// A line of the audit with its place.
public struct NumberedAuditEntry: Sendable, Equatable {
    /// Its place in the audit: higher is later.
    public let number: Int64
    /// Who did what.
    public let entry: AuditEntry

    /// Puts the two together.
    public init(number: Int64, entry: AuditEntry) {
        self.number = number
        self.entry = entry
    }
}
