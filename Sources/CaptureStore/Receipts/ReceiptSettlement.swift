package import CaptureModel

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
