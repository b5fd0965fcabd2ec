package import CaptureModel

/// The latest receipts of attested devices: the due one, its last outcome, and the risk that it names.
///
/// One worker at a time works a receipt: a claim keeps it from other workers for the length of a lease, and a worker
/// that has lost the lease changes nothing any more. No transaction stays open in between.
package protocol ReceiptStore: Sendable {
    /// Claims the receipt that has been due for longest; `nil` when none is due.
    /// - Parameters:
    ///   - lease: How long no other worker gets it.
    ///   - token: Distinguishes this claim from every other one.
    ///   - environments: Environments whose receipts are passed over, however long they have been due.
    func claimReceipt(
        lease: Duration, token: Int64, passingOver environments: Set<KeyEnvironment>
    ) async throws(StoreError) -> ClaimedReceipt?

    /// Ends a claim; `false`, with nothing changed, when the claim was lost.
    func settle(_ claim: ClaimedReceipt, as settlement: ReceiptSettlement, at moment: Timestamp)
        async throws(StoreError) -> Bool

    /// The standing of a device's receipt; `nil` when it has none.
    func receipt(of device: DeviceID) async throws(StoreError) -> ReceiptStanding?
}

/// A receipt that one worker has claimed.
package struct ClaimedReceipt: Sendable, Equatable {
    /// The token that distinguishes the claim from others.
    package let token: Int64
    /// Whose receipt it is, as registered; revoked or not.
    package let device: Device
    /// The clientDataHash of the attestation that the receipt came with; `nil` for a renewed one.
    package let clientDataHash: [UInt8]?
    /// The latest receipt.
    package let receipt: [UInt8]
    /// When it was received: the moment as of which it is verified.
    package let receivedAt: Timestamp
    /// The earliest time at which Apple takes it again, if it says so.
    package let notBefore: Timestamp?
    /// How often in a row an exchange has failed.
    package let attempts: Int

    /// Memberwise.
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

/// The outcome of an exchange for a newer receipt.
package struct ReceiptSettlement: Sendable, Equatable {
    /// A newer, verified receipt with its facts.
    package struct Renewal: Sendable, Equatable {
        /// The receipt.
        package let receipt: [UInt8]
        /// About how many keys were attested on the device in 30 days.
        package let riskMetric: Int?
        /// The earliest time at which Apple takes it again.
        package let notBefore: Timestamp?

        /// Memberwise.
        package init(receipt: [UInt8], riskMetric: Int?, notBefore: Timestamp?) {
            self.receipt = receipt
            self.riskMetric = riskMetric
            self.notBefore = notBefore
        }
    }

    /// When a receipt is due again.
    ///
    /// It is no absolute time: that would be by the worker's clock, while the record's clock decides which receipt is
    /// due. A worker's clock that is behind would make the receipt due at once, again and again.
    package struct Next: Sendable, Equatable {
        /// How long after the settlement, by the record's clock.
        package let pause: Duration
        /// The earliest time at which Apple takes it, if it has said so.
        package let notBefore: Timestamp?

        /// Memberwise.
        package init(after pause: Duration, notBefore: Timestamp? = nil) {
            self.pause = pause
            self.notBefore = notBefore
        }
    }

    /// What happened.
    package let outcome: ReceiptOutcome
    /// More about it: a status, or the code of a verification's step.
    package let reason: ReceiptReason?
    /// How often in a row an exchange has failed, including this time.
    package let attempts: Int
    /// When it is due again; `nil`: never by itself.
    package let next: Next?
    /// The receipt that replaces the held one, if there is one.
    package let renewal: Renewal?

    /// Memberwise.
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
    /// How often in a row an exchange has failed.
    package let attempts: Int
    /// When the receipt was received.
    package let receivedAt: Timestamp
    /// When Apple was asked last.
    package let askedAt: Timestamp?
    /// When it is due again; `nil`: never by itself.
    package let nextAt: Timestamp?

    /// Memberwise.
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
