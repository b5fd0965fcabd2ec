import CaptureModel

/// What a simulated capture tries.
enum Scenario: String, Sendable, CaseIterable, Encodable {
    /// Nothing but a good capture.
    case genuine
    /// The very bundle of an earlier capture: a client's retry.
    case retried
    /// An earlier capture's media and assertion in another upload.
    case replayed
    /// The same with the signature's other byte string.
    case malleated
    /// A counter that was passed over and comes too late.
    case staleCounter = "stale_counter"
    /// The photo changed after signing.
    case tamperedPhoto = "tampered_photo"
    /// The depth map changed after signing.
    case tamperedDepth = "tampered_depth"
    /// Signed for another app.
    case otherApp = "other_app"
    /// Signed by a key that is not the device's.
    case otherKey = "other_key"

    /// As the table shows it.
    var title: String { rawValue.split(separator: "_").joined(separator: " ") }

    /// Whether it builds on the capture before it.
    var repeatsEarlier: Bool { self == .retried || self == .replayed || self == .malleated }

    /// What has to become of it.
    /// - Parameters:
    ///   - level: What the gateway knows of the device.
    func expectation(level: AttestationLevel) -> Expectation {
        switch self {
        case .genuine: .verified(atMost: level == .unverified ? .medium : .high)
        case .retried: .sameCapture
        case .replayed: .rejected(.counterReplay)
        case .malleated: .sameCaptureOrRejected(.counterReplay)
        case .staleCounter: .rejected(.counterStale)
        case .tamperedPhoto, .tamperedDepth, .otherKey: .rejected(.signatureInvalid)
        case .otherApp: .rejected(.rpIDMismatch)
        }
    }
}

/// What has to become of a capture.
enum Expectation: Sendable, Equatable {
    /// Verified, with that much confidence or less.
    case verified(atMost: Confidence)
    /// Rejected by a worker for this reason, or refused for it at the door.
    case rejected(Reason)
    /// Answered with the earlier capture's id.
    case sameCapture
    /// The one where the gateway's ledger knows the earlier capture as verified already, else the other.
    case sameCaptureOrRejected(Reason)

    /// As the table shows it.
    var title: String {
        switch self {
        case .verified(.high): "verified"
        case .verified(let confidence): "verified, ≤ \(confidence.rawValue)"
        case .rejected(let reason): reason.rawValue
        case .sameCapture: "same capture"
        case .sameCaptureOrRejected(let reason): "same or \(reason.rawValue)"
        }
    }
}
