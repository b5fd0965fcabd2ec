extension GatewayError {
    /// Whether a failure is worth another attempt, why in a few words, and when if the gateway says so.
    /// - Parameter isRepeatable: Whether the request may be done twice: a fault of the gateway's own may have come after it
    ///   was done.
    func retry(isRepeatable: Bool) -> (why: String, after: Duration?)? {
        switch self {
        case .refused(let refusal) where refusal.isTransient || isRepeatable && refusal.status == 500:
            ("\(refusal.status) \(refusal.code)", refusal.retryAfter)
        case .unreachable(let message):
            (message.hasPrefix("no answer") ? message : "no answer: \(message)", nil)
        case .refused, .elsewhere, .outOfTime, .malformedAddress, .malformedAnswer, .cancelled, .unsigned: nil
        }
    }

    /// Whether the same request would be taken with a signature of now.
    var wantsNewSignature: Bool {
        guard case .refused(let refusal) = self else { return false }
        return ["REPLAY_DETECTED", "TIMESTAMP_EXPIRED"].contains(refusal.code)
    }
}
