import CaptureModel

/// Who asks to read.
enum Reader: Sendable, Equatable {
    /// A device, for its own captures.
    case device(DeviceID)
    /// A dashboard: every capture.
    case readToken
    /// A server that shows others what was verified: every capture, and its evidence.
    case evidenceToken
    /// An operator: every capture.
    case operatorToken

    /// Whether it is a device, as which anybody may register.
    var isDevice: Bool {
        if case .device = self { true } else { false }
    }

    /// Whether it may read evidence, in which places are.
    var mayReadEvidence: Bool {
        switch self {
        case .device, .evidenceToken, .operatorToken: true
        case .readToken: false
        }
    }

    /// Whether captures of a device are this reader's to see.
    func maySee(capturesOf device: DeviceID) -> Bool {
        switch self {
        case .device(let own): own == device
        case .readToken, .evidenceToken, .operatorToken: true
        }
    }
}
