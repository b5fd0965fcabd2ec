import CaptureModel
import Observability

extension CaptureMetrics.RegistrationOutcome {
    /// How a device that is registered now counts.
    init(_ device: Device) {
        switch device.level {
        case .secureEnclave: self = .verified
        case .unverified: self = device.unverifiedReason == Device.attestationMissing ? .unattested : .degraded
        }
    }

    /// How a refusal counts: an error is the system's, and no client's.
    init(_ code: APIError.Code) {
        switch code {
        // A session's challenge is good for as long as the session, and until another attestation has answered it.
        case .challengeInvalid, .enrolmentUnknown, .enrolmentExpired, .wrongStep: self = .challengeInvalid
        case .conflict: self = .conflict
        case .attestationFailed, .signatureInvalid, .deviceRevoked, .deviceUnknown, .deviceNotFound, .unauthorized,
            .forbidden, .timestampExpired, .timestampInvalid, .replayDetected, .invitationUnknown, .invitationUsed,
            .invitationExpired, .rateLimited:
            self = .rejected
        case .validationError, .payloadTooLarge, .unsupportedMediaType, .requestTimeout, .notFound, .methodNotAllowed,
            .captureNotFound, .notSettled:
            self = .invalid
        case .internalError, .queueFull, .unavailable: self = .error
        }
    }
}
