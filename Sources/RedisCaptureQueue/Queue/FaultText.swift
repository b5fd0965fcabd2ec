import CaptureModel

/// Why a capture was put off, in one text: `BUNDLE_CORRUPT: changed: 2`, or the fault alone if it is not the capture's.
///
/// A job's hash has one field for it, `fault`, which earlier releases read and write too.
struct FaultText: Equatable {
    let reason: Reason?
    let fault: String

    init(reason: Reason?, fault: String) {
        self.reason = reason
        self.fault = fault
    }

    /// Reads the field's text; a first word that is no reason code belongs to the fault.
    init(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix(": "),
            let reason = Reason(rawValue: String(text[..<colon]))
        else {
            self.init(reason: nil, fault: text)
            return
        }
        self.init(reason: reason, fault: String(text[colon...].dropFirst(2)))
    }

    /// The field's text.
    var text: String { reason.map { "\($0.rawValue): \(fault)" } ?? fault }
}
