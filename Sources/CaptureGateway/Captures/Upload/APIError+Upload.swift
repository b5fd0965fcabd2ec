import Multipart

extension APIError {
    /// A body that is not the multipart form that is asked for.
    /// - Parameter field: What was read: the body, or the head's `Content-Type`.
    init(multipart error: MultipartError, field: String) {
        switch error.code {
        case .notMultipart: self.init(.unsupportedMediaType, error.message, field: field)
        default: self.init(.validationError, error.message, field: field, reason: error.code.rawValue)
        }
    }

    /// A part, or the body, is over its limit.
    static func tooLarge(_ field: String, _ bytesMax: Int) -> APIError {
        APIError(.payloadTooLarge, "\(field) must have at most \(bytesMax) bytes", field: field)
    }

    /// The queue takes no more; what it has accepted is not affected.
    static let queueFull = APIError(.queueFull, "the queue takes no more captures for now", retryAfter: .seconds(5))

    /// The uploads of this gateway, or of the client, have used up their memory.
    static let uploadsFull = APIError(
        .unavailable, "too many uploads at once", retryAfter: .seconds(1)
    )
}
