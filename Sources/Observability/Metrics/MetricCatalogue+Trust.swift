import CaptureModel

extension MetricCatalogue {
    /// Exchanges of receipts with Apple's server, by what became of them.
    public static let receiptExchanges = MetricDefinition(
        "capture_receipt_exchanges_total", .counter, "Exchanges of devices' receipts by outcome.",
        labels: [MetricLabel("outcome", ReceiptOutcome.self)], programs: [.worker])

    /// What is told of Apple's services.
    static let trust = [receiptExchanges]
}
