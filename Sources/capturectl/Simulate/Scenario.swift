import CaptureModel

/// The scenario that a simulated capture plays.
enum Scenario: String, Sendable, CaseIterable, Encodable {
    /// A good capture.
    case genuine
    /// The very bundle of an earlier capture: a client's retry.
    case retried
    /// An earlier capture's media and assertion in another upload.
    case replayed
    /// A replay with the other byte string of the same signature (malleability).
    case malleated
    /// A skipped counter that arrives too late.
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

    /// The expected outcome.
    /// - Parameters:
    ///   - level: The attestation level that the gateway gave the device.
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

/// The expected outcome of a capture.
enum Expectation: Sendable, Equatable {
    /// Verified, with at most that confidence.
    case verified(atMost: Confidence)
    /// Rejected by a worker for this reason, or refused by the gateway for it.
    case rejected(Reason)
    /// Answered with the earlier capture's id.
    case sameCapture
    /// `sameCapture` if the gateway's ledger already knows the earlier capture as verified, otherwise `rejected`.
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
