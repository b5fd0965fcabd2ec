import CaptureModel

/// Who asks to read.
enum Reader: Sendable, Equatable {
    /// A device, for its own captures, and for what the key that it has signed with has signed under an earlier id.
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
        case .device(let own, _): own == device
        case .readToken, .evidenceToken, .operatorToken: true
        }
    }

    /// Whether a result is this reader's to see.
    ///
    /// A verified one also to whoever has signed the request with its key: a registration that another one has taken the
    /// place of was the same phone's. What is not verified anybody may have sent under a key that is somebody else's.
    func maySee(_ result: ProvenanceResult) -> Bool {
        if maySee(capturesOf: result.device) { return true }
        guard case .device(_, let key?) = self else { return false }
        return result.verdict == .verified && result.keyID == key
    }
}
