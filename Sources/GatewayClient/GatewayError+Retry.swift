extension GatewayError {
    /// Why another attempt is worthwhile, and after what pause if the gateway says so; `nil` when none is.
    /// - Parameter isRepeatable: Whether the request may be done twice: after a 500 it may have been done already.
    func retry(isRepeatable: Bool) -> (why: String, after: Duration?)? {
        switch self {
        case .refused(let refusal) where refusal.isTransient || isRepeatable && refusal.status == 500:
            ("\(refusal.status) \(refusal.code)", refusal.retryAfter)
        case .unreachable(let message):
            (message.hasPrefix("no answer") ? message : "no answer: \(message)", nil)
        case .refused, .untrusted, .elsewhere, .outOfTime, .malformedAddress, .malformedAnswer, .unwritable, .unsigned,
            .cancelled:
            nil
        }
    }

    /// Whether the same request would be taken with a fresh signature.
    var wantsNewSignature: Bool {
        guard case .refused(let refusal) = self else { return false }
        return ["REPLAY_DETECTED", "TIMESTAMP_EXPIRED"].contains(refusal.code)
    }
}
