package import CaptureModel

extension ReceiptReason {
    /// The receipt has expired.
    package static let expired = ReceiptReason(ReceiptError.Code.expired)

    /// The check that a receipt failed.
    package init(_ code: ReceiptError.Code) {
        self.init(rawValue: code.rawValue)
    }
}
