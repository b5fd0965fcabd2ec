package import CaptureModel

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
