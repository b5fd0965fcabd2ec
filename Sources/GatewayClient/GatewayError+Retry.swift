extension GatewayError {
    /// Whether a failure is worth another attempt, why in a few words, and when if the gateway says so.
    var retry: (why: String, after: Duration?)? {
        switch self {
        case .refused(let refusal) where refusal.isTransient:
            ("\(refusal.status) \(refusal.code)", refusal.retryAfter)
        case .unreachable(let message):
            (message.hasPrefix("no answer") ? message : "no answer: \(message)", nil)
        case .refused, .elsewhere, .outOfTime, .malformedAddress, .malformedAnswer, .cancelled, .unsigned: nil
        }
    }
}
