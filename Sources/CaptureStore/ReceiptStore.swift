package import CaptureModel

/// The latest receipts of attested devices: which one is due, what became of it, and the risk that it tells.
///
/// A receipt is worked by one worker at a time: claiming it puts it out of the others' reach for the length of a lease,
/// and whoever has lost the lease changes nothing any more. No transaction stays open in between.
package protocol ReceiptStore: Sendable {
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
package struct ClaimedReceipt: Sendable, Equatable {
    /// What tells the claim from others.
    package let token: Int64
    /// Whose receipt it is, as registered; revoked or not.
    package let device: Device
    /// What the attestation was checked against that the receipt came with; `nil` for a renewed one.
    package let clientDataHash: [UInt8]?
    /// The latest receipt.
    package let receipt: [UInt8]
    /// When it was received: the moment as of which it is verified.
    package let receivedAt: Timestamp
    /// When Apple takes it again, where it says so.
    package let notBefore: Timestamp?
    /// How often in a row asking has failed.
    package let attempts: Int

    /// Puts a claim together.
    package init(
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
package struct ReceiptSettlement: Sendable, Equatable {
    /// A newer receipt, verified, with what it says.
    package struct Renewal: Sendable, Equatable {
        /// The receipt.
        package let receipt: [UInt8]
        /// About how many keys were attested on the device in 30 days.
        package let riskMetric: Int?
        /// When Apple takes it again.
        package let notBefore: Timestamp?

        /// Puts a renewal together.
        package init(receipt: [UInt8], riskMetric: Int?, notBefore: Timestamp?) {
            self.receipt = receipt
            self.riskMetric = riskMetric
            self.notBefore = notBefore
        }
    }

    /// When a receipt is due again.
    ///
    /// A moment of ours would be by the clock of whoever settles, while the record's tells what is due: one that is
    /// behind would make the receipt due at once, again and again.
    package struct Next: Sendable, Equatable {
        /// How long after the settlement, by the record's clock.
        package let pause: Duration
        /// When Apple takes it, where it has said so: no sooner than that.
        package let notBefore: Timestamp?

        /// Puts the two together.
        package init(after pause: Duration, notBefore: Timestamp? = nil) {
            self.pause = pause
            self.notBefore = notBefore
        }
    }

    /// What happened.
    package let outcome: ReceiptOutcome
    /// More about it: a status, or the code of a verification's step.
    package let reason: ReceiptReason?
    /// How often in a row asking has failed, this time included.
    package let attempts: Int
    /// When it is due again; `nil`: never by itself.
    package let next: Next?
    /// The receipt that takes the held one's place, if there is one.
    package let renewal: Renewal?

    /// Puts a settlement together.
    package init(outcome: ReceiptOutcome, reason: ReceiptReason?, attempts: Int, next: Next?, renewal: Renewal? = nil) {
        self.outcome = outcome
        self.reason = reason
        self.attempts = attempts
        self.next = next
        self.renewal = renewal
    }
}

/// Where a device's receipt stands.
package struct ReceiptStanding: Sendable, Equatable {
    /// What happened last.
    package let outcome: ReceiptOutcome
    /// More about it.
    package let reason: ReceiptReason?
    /// How often in a row asking has failed.
    package let attempts: Int
    /// When the receipt was received.
    package let receivedAt: Timestamp
    /// When Apple was asked last.
    package let askedAt: Timestamp?
    /// When it is due again; `nil`: never by itself.
    package let nextAt: Timestamp?

    /// Puts a standing together.
    package init(
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
