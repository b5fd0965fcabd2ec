package import AppAttest
package import CaptureModel

extension ReceiptReason {
    /// It is over.
    package static let expired = ReceiptReason(ReceiptError.Code.expired)

    /// The check that a receipt failed.
    package init(_ code: ReceiptError.Code) {
        self.init(rawValue: code.rawValue)
    }
}
