import CaptureModel

/// Why a capture was put off, in one text: `BUNDLE_CORRUPT: changed: 2`, or the fault alone if it is not the capture's.
///
/// A job's hash has one field for it, `fault`. Programs of another release may run beside, and read and write it too.
struct FaultText: Equatable {
    let reason: Reason?
    let fault: String

    init(reason: Reason?, fault: String) {
        self.reason = reason
        self.fault = fault
    }

    /// Reads the field's text; a first word that is no reason code belongs to the fault.
    ///
    /// It is read by its bytes: a fault that begins with a combining mark makes one character with the space.
    init(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8[colon...].starts(with: ": ".utf8),
            let reason = Reason(word: String(text[..<colon]))
        else {
            self.init(reason: nil, fault: text)
            return
        }
        self.init(reason: reason, fault: String(Substring(text.utf8[colon...].dropFirst(2))))
    }

    /// The field's text.
    var text: String { reason.map { "\($0.rawValue): \(fault)" } ?? fault }
}
