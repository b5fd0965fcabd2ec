/// Why a capture was rejected or a check did not pass: a stable code, the same in SQL, answers, metrics and docs.
public enum Reason: String, Sendable, CaseIterable, Codable {
    /// The assertion is not the CBOR that Apple's documentation describes.
    case assertionMalformed = "ASSERTION_MALFORMED"
    /// The assertion was made for another app id.
    case rpIDMismatch = "RP_ID_MISMATCH"
    /// The signature does not cover these bytes, or not with this device's key.
    case signatureInvalid = "SIGNATURE_INVALID"
    /// This counter was used by a capture that was accepted before.
    case counterReplay = "COUNTER_REPLAY"
    /// The counter is lower than the policy takes, and no verified capture used it.
    case counterStale = "COUNTER_STALE"
    /// The counter is below one that was accepted before, but the policy takes it (marks a check that passes).
    case counterOutOfOrder = "COUNTER_OUT_OF_ORDER"
    /// No device of this id is registered.
    case deviceUnknown = "DEVICE_UNKNOWN"
    /// The device had been revoked when the capture was received.
    case deviceRevoked = "DEVICE_REVOKED"
    /// The capture's binding is not among the configured ones.
    case bindingNotAllowed = "BINDING_NOT_ALLOWED"
    /// The device's key belongs to the other App Attest environment.
    case environmentMismatch = "ENVIRONMENT_MISMATCH"
    /// The device's key was attested for an app that is not among the configured ones (any more).
    case appNotAllowed = "APP_NOT_ALLOWED"
    /// The device's key was attested under a root that is not among the configured ones (any more).
    case trustRootNotAllowed = "TRUST_ROOT_NOT_ALLOWED"
    /// The SHA-256 that the metadata declare is not the photo's.
    case photoHashMismatch = "PHOTO_HASH_MISMATCH"
    /// The photo is not a well-formed JPEG.
    case photoMalformed = "PHOTO_MALFORMED"
    /// The photo has more bytes, pixels or scans than allowed.
    case photoTooLarge = "PHOTO_TOO_LARGE"
    /// The photo goes on after its end of image, or is a file of another kind as well.
    case photoTrailingData = "PHOTO_TRAILING_DATA"
    /// The depth map does not decode.
    case depthMalformed = "DEPTH_MALFORMED"
    /// The depth map's number of bytes does not match its dimensions.
    case depthSizeMismatch = "DEPTH_SIZE_MISMATCH"
    /// Too few of the depth map's values are finite numbers: missing evidence, which lowers the confidence.
    case depthSparse = "DEPTH_SPARSE"
    /// The scene is one plane (warning).
    case depthPlanar = "DEPTH_PLANAR"
    /// The scene is a plane in a frame, as a screen is (warning).
    case depthFramedPlane = "DEPTH_FRAMED_PLANE"
    /// No known sensor records depth maps of the declared shape: missing evidence, which lowers the confidence.
    ///
    /// The declared shape is not signed.
    case depthShapeUnknown = "DEPTH_SHAPE_UNKNOWN"
    /// The depth map does not show whether the scene is one plane: missing evidence, which lowers the confidence.
    ///
    /// It has too few values, or its plane is beyond the sensor's reach.
    case depthUnclear = "DEPTH_UNCLEAR"
    /// Captured and received times are further apart than allowed (warning).
    case timestampSkew = "TIMESTAMP_SKEW"
    /// The metadata are not the required JSON, or contradict the rest.
    case metadataMalformed = "METADATA_MALFORMED"
    /// The capture and the device's registration contradict each other: another model, or a depth map of a device that
    /// declares no LiDAR sensor (warning).
    case metadataInconsistent = "METADATA_INCONSISTENT"
    /// The iOS 27 extensions name a validation category or bundle version outside the policy.
    case extensionsNotAllowed = "EXTENSIONS_NOT_ALLOWED"
    /// The system is older than the app's rollout allows.
    case osVersionNotAllowed = "OS_VERSION_NOT_ALLOWED"
    /// The app's rollout would refuse it if it were enforced (a mark that lowers nothing).
    case rolloutWouldReject = "ROLLOUT_WOULD_REJECT"
    /// Apple counts more keys on the device than the configuration's threshold (warning).
    case riskElevated = "RISK_ELEVATED"
    /// A threshold is configured, but Apple cannot be asked about the device or has not answered for too long.
    ///
    /// Missing evidence, which lowers the confidence.
    case riskUnknown = "RISK_UNKNOWN"
    /// The bundle's bytes are gone.
    case bundleMissing = "BUNDLE_MISSING"
    /// The bundle's bytes differ from those that the gateway accepted.
    case bundleCorrupt = "BUNDLE_CORRUPT"
    /// The job has taken its worker down too often.
    case deliveriesExhausted = "DELIVERIES_EXHAUSTED"
    /// A transient fault did not go away within the attempts allowed.
    case attemptsExhausted = "ATTEMPTS_EXHAUSTED"
    /// A fault of the system itself.
    case `internal` = "INTERNAL"
    /// The record names a reason of a newer release, which this one does not know.
    case reasonUnknown = "REASON_UNKNOWN"
    /// The check was not made: another one did not pass, or there was nothing to look at.
    case notEvaluated = "NOT_EVALUATED"

    /// The reasons for which a capture becomes a dead letter.
    public static let ofDeadLetters: [Reason] = [
        .bundleMissing, .bundleCorrupt, .deliveriesExhausted, .attemptsExhausted, .internal,
    ]

    /// The reasons for which a capture is rejected.
    public static let ofRejections = allCases.filter { $0.isDecisive && !ofDeadLetters.contains($0) }

    /// Reads the record's word; ``reasonUnknown`` for a reason of a newer release, whose decision stands.
    public init(recorded word: String) {
        self = Reason(word: word) ?? .reasonUnknown
    }

    /// Whether a check that fails for this reason rejects the capture.
    ///
    /// The other reasons lower the confidence: they warn, or name missing evidence. `ROLLOUT_WOULD_REJECT`,
    /// `COUNTER_OUT_OF_ORDER` and `NOT_EVALUATED` are only reported. Every case is listed, so that a new one must be
    /// decided here before it compiles.
    public var isDecisive: Bool {
        switch self {
        case .photoTrailingData, .depthSparse, .depthPlanar, .depthFramedPlane, .depthShapeUnknown, .depthUnclear,
            .timestampSkew,
            .metadataInconsistent, .riskElevated, .riskUnknown, .rolloutWouldReject, .counterOutOfOrder, .notEvaluated:
            false
        case .assertionMalformed, .rpIDMismatch, .signatureInvalid, .counterReplay, .counterStale, .deviceUnknown,
            .deviceRevoked, .bindingNotAllowed, .environmentMismatch, .appNotAllowed, .trustRootNotAllowed,
            .photoHashMismatch, .photoMalformed, .photoTooLarge, .depthMalformed, .depthSizeMismatch,
            .metadataMalformed, .extensionsNotAllowed, .osVersionNotAllowed, .bundleMissing, .bundleCorrupt,
            .deliveriesExhausted, .attemptsExhausted, .internal, .reasonUnknown:
            true
        }
    }

    /// What the code means for one capture, in words for people.
    /// - Parameter redriven: Whether the capture was redriven.
    public func explanation(redriven: Bool) -> String {
        // It need not be the device's fault; but a counter may also have been too low from the start, as 0 always is.
        guard redriven, self == .counterStale else { return explanation }
        return "\(explanation); the capture was redriven, so later ones of its device may have been settled before it"
    }

    /// What the code means, in words for people.
    public var explanation: String {
        switch self {
        case .assertionMalformed: "the assertion is not well-formed"
        case .rpIDMismatch: "the assertion was made for another app"
        case .signatureInvalid: "the signature does not cover these bytes"
        case .counterReplay: "a verified capture already used this counter"
        case .counterStale: "the counter is lower than the counter policy takes"
        case .counterOutOfOrder: "the capture came after a later one of its device, within the window"
        case .deviceUnknown: "the device is not registered"
        case .deviceRevoked: "the device was revoked, or another registration of its key took its place"
        case .bindingNotAllowed: "the binding is not allowed here"
        case .environmentMismatch: "the key belongs to the other App Attest environment"
        case .appNotAllowed: "the key belongs to an app that is not taken here"
        case .trustRootNotAllowed: "the key was attested under a root that is not trusted here"
        case .photoHashMismatch: "the declared hash is not the photo's"
        case .photoMalformed: "the photo is not a well-formed JPEG"
        case .photoTooLarge: "the photo exceeds a limit"
        case .photoTrailingData: "the photo carries bytes after its end or of another file type"
        case .depthMalformed: "the depth map does not decode"
        case .depthSizeMismatch: "the depth map's size does not fit its dimensions"
        case .depthSparse: "too few depth values are measurements"
        case .depthUnclear: "the depth map does not tell whether the scene is flat: too few values, or too far away"
        case .depthPlanar: "the scene is flat"
        case .depthFramedPlane: "the scene looks like a screen in its frame"
        case .depthShapeUnknown: "the depth map has a shape that no known sensor records, and nobody signed it"
        case .timestampSkew: "captured and received times are too far apart"
        case .metadataMalformed: "the metadata are not what is asked for"
        case .metadataInconsistent: "the capture contradicts the device's registration"
        case .extensionsNotAllowed: "the app's validation category or version is not allowed"
        case .osVersionNotAllowed: "the system's version is not allowed"
        case .rolloutWouldReject: "the app's rollout would reject it if it were enforced"
        case .riskElevated: "Apple counts unusually many keys on the device"
        case .riskUnknown: "Apple has not said how many keys were attested on the device"
        case .bundleMissing: "the capture's bytes are gone"
        case .bundleCorrupt: "the capture's bytes changed in storage"
        case .deliveriesExhausted: "the capture took its worker down too often"
        case .attemptsExhausted: "a fault did not go away within the attempts allowed"
        case .internal: "a fault of the system"
        case .reasonUnknown: "a newer release knows the reason, this one does not"
        case .notEvaluated: "not looked at: another check did not pass, or there was nothing to look at"
        }
    }
}
