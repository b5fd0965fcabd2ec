import CaptureModel

/// For which fault a capture was put off, in one text: `BUNDLE_CORRUPT: changed: 2`, or the fault alone where the reason
/// is not the capture's own.
///
/// A job's hash has one field for it, `fault`, which releases before this one read and write as well.
struct FaultText: Equatable {
    let reason: Reason?
    let fault: String

    init(reason: Reason?, fault: String) {
        self.reason = reason
        self.fault = fault
    }

    /// Reads what a hash has; a word that is no reason's code belongs to the fault.
    init(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix(": "),
            let reason = Reason(rawValue: String(text[..<colon]))
        else {
            self.init(reason: nil, fault: text)
            return
        }
        self.init(reason: reason, fault: String(text[colon...].dropFirst(2)))
    }

    /// As the hash has it.
    var text: String { reason.map { "\($0.rawValue): \(fault)" } ?? fault }
}
