public import CaptureModel

extension CaptureMetrics {
    /// Counts an exchange of a device's receipt.
    public static func receiptExchange(_ outcome: ReceiptOutcome) {
        count(MetricCatalogue.receiptExchanges, outcome.rawValue)
    }

    /// A step of an enrolment.
    public enum EnrolmentStep: String, Sendable, CaseIterable {
        /// An invitation is used.
        case start
        /// The device's key is attested.
        case attestation
        /// The password hash is set.
        case password
        /// The credential is fetched.
        case finish
    }

    /// What became of a step.
    public enum EnrolmentOutcome: String, Sendable, CaseIterable {
        /// It was taken.
        case done
        /// The request was refused.
        case refused
        /// A fault of the system, or a server is away.
        case error
    }

    /// Counts a step of an enrolment.
    public static func enrolment(_ step: EnrolmentStep, _ outcome: EnrolmentOutcome) {
        count(MetricCatalogue.enrolments, step.rawValue, outcome.rawValue)
    }
}
