import CaptureModel

extension MetricCatalogue {
    /// Exchanges of receipts with Apple's server, by what became of them.
    public static let receiptExchanges = MetricDefinition(
        "capture_receipt_exchanges_total", .counter, "Exchanges of devices' receipts by outcome.",
        labels: [MetricLabel("outcome", ReceiptOutcome.self)], programs: [.worker])

    /// Steps of enrolments, by what became of them.
    public static let enrolments = MetricDefinition(
        "capture_enrolment_steps_total", .counter, "Steps of enrolments by outcome.",
        labels: [
            MetricLabel("step", CaptureMetrics.EnrolmentStep.self),
            MetricLabel("outcome", CaptureMetrics.EnrolmentOutcome.self),
        ], programs: [.gateway])

    /// What is told of Apple's services and of enrolments.
    static let trust = [receiptExchanges, enrolments]
}
