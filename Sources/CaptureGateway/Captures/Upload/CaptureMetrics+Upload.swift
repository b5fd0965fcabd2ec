import Observability

extension CaptureMetrics.UploadOutcome {
    /// How a refusal counts.
    init(_ code: APIError.Code) {
        switch code {
        case .payloadTooLarge: self = .tooLarge
        case .deviceNotFound, .deviceRevoked, .signatureInvalid: self = .unauthorized
        case .queueFull: self = .queueFull
        case .unavailable: self = .unavailable
        case .internalError: self = .error
        case .requestTimeout: self = .aborted
        default: self = .invalid
        }
    }
}
