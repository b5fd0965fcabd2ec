import CaptureModel

/// Who asks to read.
enum Reader: Sendable, Equatable {
    /// A device: its own captures, and those that the key of its request signed under an earlier device id.
    case device(DeviceID, key: KeyID? = nil)
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

    /// Whether it may read evidence, which contains places.
    var mayReadEvidence: Bool {
        switch self {
        case .device, .evidenceToken, .operatorToken: true
        case .readToken: false
        }
    }

    /// Whether captures of a device are this reader's to see.
    func maySee(capturesOf device: DeviceID) -> Bool {
        switch self {
        case .device(let own, _): own == device
        case .readToken, .evidenceToken, .operatorToken: true
        }
    }

    /// Whether a result is this reader's to see.
    ///
    /// A verified result also to whoever signed the request with the result's key: an earlier registration of a key was
    /// the same phone's. A result that is not verified may be anybody's, sent under somebody else's key.
    func maySee(_ result: ProvenanceResult) -> Bool {
        if maySee(capturesOf: result.device) { return true }
        guard case .device(_, let key?) = self else { return false }
        return result.verdict == .verified && result.keyID == key
    }
}
