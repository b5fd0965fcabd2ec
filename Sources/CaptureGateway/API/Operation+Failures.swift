/// What each operation may fail with.
extension Operation {
    /// The codes that it may fail with, each once.
    ///
    /// Any request may meet a fault of the system, have a head that is no HTTP or too large, or find all connections
    /// taken.
    var failures: [APIError.Code] {
        let specific = specificFailures
        let anywhere: [APIError.Code] = [.internalError, .validationError, .unavailable]
        return specific + anywhere.filter { !specific.contains($0) }
    }

    private var specificFailures: [APIError.Code] {
        switch self {
        case .issueChallenge: [.rateLimited, .unavailable]
        case .registerDevice, .registerCheckedDevice:
            [
                .validationError, .challengeInvalid, .attestationFailed, .signatureInvalid, .conflict,
                .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .unavailable,
            ]
        case .reattestDevice:
            [
                .validationError, .challengeInvalid, .attestationFailed, .deviceRevoked, .notFound, .conflict,
                .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .unavailable,
            ]
        case .startEnrolment:
            Self.enrolmentFailures + [.invitationUnknown, .invitationUsed, .invitationExpired, .conflict]
        case .attestEnrolment: Self.stepFailures + [.challengeInvalid, .attestationFailed, .deviceRevoked, .conflict]
        case .setEnrolmentPassword, .finalizeEnrolment: Self.stepFailures + [.attestationFailed, .deviceRevoked]
        case .listDevices: [.validationError, .unauthorized, .forbidden, .rateLimited, .unavailable]
        case .showDevice, .affectedResults:
            [.validationError, .unauthorized, .forbidden, .deviceUnknown, .notFound, .rateLimited, .unavailable]
        case .revokeDevice:
            [
                .validationError, .unauthorized, .forbidden, .deviceUnknown, .notFound, .requestTimeout,
                .payloadTooLarge, .unsupportedMediaType, .rateLimited, .unavailable,
            ]
        case .uploadCapture:
            [
                .validationError, .signatureInvalid, .deviceNotFound, .deviceRevoked, .requestTimeout,
                .payloadTooLarge, .unsupportedMediaType, .queueFull, .unavailable,
            ]
        case .captureStatus: Self.signatureFailures + [.validationError, .captureNotFound, .unavailable]
        case .captureProvenance: Self.signatureFailures + [.captureNotFound, .notSettled, .unavailable]
        case .captureEvidence:
            Self.signatureFailures + [.forbidden, .captureNotFound, .notSettled, .unavailable]
        case .captureStatuses:
            Self.signatureFailures + [
                .validationError, .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .unavailable,
            ]
        case .captureEvents: Self.signatureFailures + [.captureNotFound, .unavailable]
        case .listCaptures, .searchIDs, .listAudit:
            [.validationError, .unauthorized, .forbidden, .notFound, .rateLimited, .unavailable]
        case .events, .queueLoad, .rollout: [.unauthorized, .forbidden, .rateLimited, .unavailable]
        case .metrics: [.notFound]
        case .liveness, .readiness, .description: []
        }
    }

    /// The codes of requests that devices sign.
    private static let signatureFailures: [APIError.Code] = [
        .unauthorized, .timestampExpired, .timestampInvalid, .signatureInvalid, .replayDetected, .deviceNotFound,
        .deviceRevoked, .rateLimited,
    ]

    /// The codes of enrolments.
    private static let enrolmentFailures: [APIError.Code] = [
        .validationError, .notFound, .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .rateLimited,
        .unavailable,
    ]

    /// The codes of the steps of an enrolment that has begun.
    private static let stepFailures: [APIError.Code] =
        enrolmentFailures + [.enrolmentUnknown, .enrolmentExpired, .wrongStep]
}
