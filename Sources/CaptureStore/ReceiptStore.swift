public import CaptureModel

/// The latest receipts of attested devices: which one is due, what became of it, and the risk that it tells.
///
/// A receipt is worked by one worker at a time: claiming it puts it out of the others' reach for the length of a lease,
/// and whoever has lost the lease changes nothing any more. No transaction stays open in between.
public protocol ReceiptStore: Sendable {
    /// Claims the receipt that has been due for longest; `nil` when none is due.
    /// - Parameters:
    ///   - lease: How long nobody else gets it.
    ///   - token: Tells this claim from every other one.
    ///   - environments: Whose receipts are left where they are, however long they have been due.
    func claimReceipt(
        lease: Duration, token: Int64, passingOver environments: Set<KeyEnvironment>
    ) async throws(StoreError) -> ClaimedReceipt?

    /// Ends a claim; `false` when it had been lost, and nothing was changed.
    func settle(_ claim: ClaimedReceipt, as settlement: ReceiptSettlement, at moment: Timestamp)
        async throws(StoreError) -> Bool

    /// Where a device's receipt stands; `nil` when it has none.
    func receipt(of device: DeviceID) async throws(StoreError) -> ReceiptStanding?
}

/// A receipt that is in one worker's hands.
public struct ClaimedReceipt: Sendable, Equatable {
    /// What tells the claim from others.
    public let token: Int64
    /// Whose receipt it is, as registered; revoked or not.
    public let device: Device
    /// What the attestation was checked against that the receipt came with; `nil` for a renewed one.
    public let clientDataHash: [UInt8]?
    /// The latest receipt.
    public let receipt: [UInt8]
    /// When it was received: the moment as of which it is verified.
    public let receivedAt: Timestamp
    /// When Apple takes it again, where it says so.
    public let notBefore: Timestamp?
    /// How often in a row asking has failed.
    public let attempts: Int

    /// Puts a claim together.
    public init(
        token: Int64, device: Device, clientDataHash: [UInt8]?, receipt: [UInt8], receivedAt: Timestamp,
        notBefore: Timestamp?, attempts: Int
    ) {
        self.token = token
        self.device = device
        self.clientDataHash = clientDataHash
        self.receipt = receipt
        self.receivedAt = receivedAt
        self.notBefore = notBefore
        self.attempts = attempts
    }
}

/// What became of asking for a newer receipt.
public struct ReceiptSettlement: Sendable, Equatable {
    /// A newer receipt, verified, with what it says.
    public struct Renewal: Sendable, Equatable {
        /// The receipt.
        public let receipt: [UInt8]
        /// About how many keys were attested on the device in 30 days.
        public let riskMetric: Int?
        /// When Apple takes it again.
        public let notBefore: Timestamp?

        /// Puts a renewal together.
        public init(receipt: [UInt8], riskMetric: Int?, notBefore: Timestamp?) {
            self.receipt = receipt
            self.riskMetric = riskMetric
            self.notBefore = notBefore
        }
    }

    /// When a receipt is due again.
    ///
    /// A moment of ours would be by the clock of whoever settles, while the record's tells what is due: one that is
    /// behind would make the receipt due at once, again and again.
    public struct Next: Sendable, Equatable {
        /// How long after the settlement, by the record's clock.
        public let pause: Duration
        /// When Apple takes it, where it has said so: no sooner than that.
        public let notBefore: Timestamp?

        /// Puts the two together.
        public init(after pause: Duration, notBefore: Timestamp? = nil) {
            self.pause = pause
            self.notBefore = notBefore
        }
    }

    /// What happened.
    public let outcome: ReceiptOutcome
    /// More about it: a status, or the code of a verification's step.
    public let reason: ReceiptReason?
    /// How often in a row asking has failed, this time included.
    public let attempts: Int
    /// When it is due again; `nil`: never by itself.
    public let next: Next?
    /// The receipt that takes the held one's place, if there is one.
    public let renewal: Renewal?

    /// Puts a settlement together.
    public init(outcome: ReceiptOutcome, reason: ReceiptReason?, attempts: Int, next: Next?, renewal: Renewal? = nil) {
        self.outcome = outcome
        self.reason = reason
        self.attempts = attempts
        self.next = next
        self.renewal = renewal
    }
}

/// Where a device's receipt stands.
public struct ReceiptStanding: Sendable, Equatable {
    /// What happened last.
    public let outcome: ReceiptOutcome
    /// More about it.
    public let reason: ReceiptReason?
    /// How often in a row asking has failed.
    public let attempts: Int
    /// When the receipt was received.
    public let receivedAt: Timestamp
    /// When Apple was asked last.
    public let askedAt: Timestamp?
    /// When it is due again; `nil`: never by itself.
    public let nextAt: Timestamp?

    /// Puts a standing together.
    public init(
        outcome: ReceiptOutcome, reason: ReceiptReason?, attempts: Int, receivedAt: Timestamp,
        askedAt: Timestamp?, nextAt: Timestamp?
    ) {
        self.outcome = outcome
        self.reason = reason
        self.attempts = attempts
        self.receivedAt = receivedAt
        self.askedAt = askedAt
        self.nextAt = nextAt
    }
}
