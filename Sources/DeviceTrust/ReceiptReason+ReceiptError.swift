public import AppAttest
public import CaptureModel

extension ReceiptReason {
    /// It is over.
    public static let expired = ReceiptReason(ReceiptError.Code.expired)

    /// The check that a receipt failed.
    public init(_ code: ReceiptError.Code) {
        self.init(rawValue: code.rawValue)
    }
}
