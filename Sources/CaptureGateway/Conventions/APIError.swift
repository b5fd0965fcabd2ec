package import CaptureModel
import CaptureOperations
package import CaptureQueue
package import CaptureStore
package import HTTPTypes

/// Why a request is not answered with what was asked for; becomes the failure envelope.
///
/// All of it is shown to the caller but ``cause``, which goes to the log only.
package struct APIError: Error, Equatable {
    /// Which rule the request ran into.
    package let code: Code
    /// What it means, in words that are safe for anybody.
    package let message: String
    /// The field of the request that is at fault.
    package let field: String?
    /// The stable code of the check that failed, where one did.
    package let reason: String?
    /// The step of an enrolment that is next, where another one was tried.
    package let expectedStep: String?
    /// The device that the caller's own key is registered as.
    package let deviceID: DeviceID?
    /// When to try again.
    package let retryAfter: Duration?
    /// What lies behind it, for the log; never part of an answer.
    package let cause: Cause?

    /// What lies behind an answer that is the system's fault.
    package enum Cause: Equatable, Sendable {
        /// A server that does not do its work.
        case server(BackingServer, String)
        /// A server that answers, and refuses this.
        case refusal(BackingServer, String)
        /// Too much at once, something is locked, or others are at work on the same bundle: it only has to wait.
        case busy(String)
        /// The record does not know the result of a capture that the queue calls settled: it has gone back in time, or
        /// somebody has written to Redis.
        case resultLost(CaptureID)
        /// Something that should not happen.
        case fault(String)
    }

    /// Names a rule and what is known of how it was broken.
    package init(
        _ code: Code, _ message: String, field: String? = nil, reason: String? = nil, expectedStep: String? = nil,
        deviceID: DeviceID? = nil, retryAfter: Duration? = nil, cause: Cause? = nil
    ) {
        self.code = code
        self.message = message
        self.field = field
        self.reason = reason
        self.expectedStep = expectedStep
        self.deviceID = deviceID
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// A field that is missing or malformed.
    package static func invalid(_ field: String, _ message: String) -> APIError {
        APIError(.validationError, message, field: field)
    }

    /// The queue, or the store of bytes, did not do what was asked: 503 when it may later, else 500.
    ///
    /// A damaged key is 503, since the same request is served once somebody has repaired it. It is no outage: other
    /// requests do not need the key.
    package static func unavailable(_ error: QueueError) -> APIError {
        if error.isOfDamagedKey { return unavailable(because: .fault("\(error)")) }
        // This lasts a moment at each start and is no trouble that an operator should look for: it has no cause.
        if error.code == .starting {
            return APIError(.unavailable, "the service is starting", retryAfter: .seconds(2))
        }
        let isBusy = [.busy, .restoring, .tooFewReplicas].contains(error.code)
        return outage(
            isTransient: error.isTransient, isBusy: isBusy, isRefusal: error.isRefusal, error.server.backing,
            "\(error)")
    }

    /// The queue did not do what an operator asked, who is told which key is damaged.
    static func unavailable(toOperator error: QueueError) -> APIError {
        let plain = unavailable(error)
        guard let key = error.damagedKey else { return plain }
        return APIError(
            plain.code, "the key \(key) is damaged in Redis: capturectl doctor", retryAfter: plain.retryAfter,
            cause: plain.cause)
    }

    /// The record did not do what was asked: 503 when it may later, else 500.
    package static func unavailable(_ error: StoreError) -> APIError {
        let isBusy = error.code == .busy || error.code == .conflict
        return outage(
            isTransient: error.isTransient, isBusy: isBusy, isRefusal: error.isRefusal, .postgres, "\(error)")
    }

    /// Queue or record did not do what was asked.
    static func unavailable(_ fault: ServerFault) -> APIError {
        switch fault {
        case .queue(let error): .unavailable(error)
        case .store(let error): .unavailable(error)
        }
    }

    private static func outage(
        isTransient: Bool, isBusy: Bool, isRefusal: Bool, _ server: BackingServer, _ what: String
    ) -> APIError {
        let cause: Cause = isBusy ? .busy(what) : isRefusal ? .refusal(server, what) : .server(server, what)
        guard isTransient else { return APIError(.internalError, "the request could not be completed", cause: cause) }
        return unavailable(because: cause)
    }

    /// It may be done later.
    static func unavailable(because cause: Cause) -> APIError {
        // A lost result stays lost until the queue has forgotten it, or somebody acts.
        let pause: Duration = if case .resultLost = cause { .seconds(60) } else { .seconds(2) }
        return APIError(.unavailable, "the service is temporarily unavailable", retryAfter: pause, cause: cause)
    }
}

extension APIError {
    /// The stable codes of failures; the raw values are part of the API.
    package enum Code: String, CaseIterable, Sendable {
        /// A field is missing or malformed, or the request as a whole.
        case validationError = "VALIDATION_ERROR"
        /// The challenge is unknown, expired or used.
        case challengeInvalid = "CHALLENGE_INVALID"
        /// The attestation was not verified, and the policy refuses such devices.
        case attestationFailed = "ATTESTATION_FAILED"
        /// The request's timestamp is outside the window.
        case timestampExpired = "TIMESTAMP_EXPIRED"
        /// The request's timestamp is not a number.
        case timestampInvalid = "TIMESTAMP_INVALID"
        /// The request's signature is not the device's over this request.
        case signatureInvalid = "SIGNATURE_INVALID"
        /// The request, or a later one of its device, was made before.
        case replayDetected = "REPLAY_DETECTED"
        /// No such device is registered.
        case deviceNotFound = "DEVICE_NOT_FOUND"
        /// The request carries no credentials, or none that are known.
        case unauthorized = "UNAUTHORIZED"
        /// The device was revoked.
        case deviceRevoked = "DEVICE_REVOKED"
        /// The credentials do not allow this.
        case forbidden = "FORBIDDEN"
        /// There is no such device; only holders of tokens learn it.
        case deviceUnknown = "DEVICE_UNKNOWN"
        /// There is no such capture, or it is not the caller's to see.
        case captureNotFound = "CAPTURE_NOT_FOUND"
        /// There is no such invitation, or it was taken back.
        case invitationUnknown = "INVITATION_UNKNOWN"
        /// The invitation was used before.
        case invitationUsed = "INVITATION_USED"
        /// The invitation was not used in time.
        case invitationExpired = "INVITATION_EXPIRED"
        /// There is no such enrolment session.
        case enrolmentUnknown = "ENROLLMENT_NOT_FOUND"
        /// The enrolment session's time is over.
        case enrolmentExpired = "ENROLLMENT_EXPIRED"
        /// Another step of the enrolment is next.
        case wrongStep = "WRONG_STEP"
        /// There is no such route.
        case notFound = "NOT_FOUND"
        /// The route exists, but not for this method.
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        /// It exists already, or is in a state that does not allow this.
        case conflict = "CONFLICT"
        /// The capture has no result yet.
        case notSettled = "NOT_SETTLED"
        /// The body came too slowly, or ended too early.
        case requestTimeout = "REQUEST_TIMEOUT"
        /// The body or a part of it is too large.
        case payloadTooLarge = "PAYLOAD_TOO_LARGE"
        /// The body is of a type that the route does not take.
        case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
        /// Too many requests.
        case rateLimited = "RATE_LIMITED"
        /// A fault of the system.
        case internalError = "INTERNAL_ERROR"
        /// The queue takes no more for now.
        case queueFull = "QUEUE_FULL"
        /// A server that is needed does not answer.
        case unavailable = "UNAVAILABLE"

        /// The HTTP status that goes with the code.
        package var status: HTTPResponse.Status {
            switch self {
            case .validationError, .invitationExpired: .badRequest
            case .challengeInvalid, .attestationFailed, .timestampExpired, .timestampInvalid, .signatureInvalid,
                .replayDetected, .deviceNotFound, .unauthorized:
                .unauthorized
            case .deviceRevoked, .forbidden: .forbidden
            case .deviceUnknown, .captureNotFound, .invitationUnknown, .enrolmentUnknown, .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .conflict, .notSettled, .invitationUsed, .wrongStep: .conflict
            case .enrolmentExpired: .gone
            case .requestTimeout: .requestTimeout
            case .payloadTooLarge: .contentTooLarge
            case .unsupportedMediaType: .unsupportedMediaType
            case .rateLimited: .tooManyRequests
            case .internalError: .internalServerError
            case .queueFull, .unavailable: .serviceUnavailable
            }
        }
    }
}
