extension Clock where Duration == Swift.Duration {
    /// Starts a time limit now; the closure tells how much of it is left.
    func left(of limit: Duration) -> @Sendable () -> Duration {
        let end = now.advanced(by: limit)
        return { now.duration(to: end) }
    }
}

extension GatewayClient.Configuration {
    /// The pause after a failed attempt within a time limit; `nil` when there is no time for another attempt.
    /// - Parameter left: What is left of the limit for all attempts; `nil` without one.
    func pause(after attempt: Int, asked: Duration?, left: Duration?) -> Duration? {
        let wanted = pause(after: attempt, asked: asked)
        guard let left, wanted >= left else { return wanted }
        // The last attempt comes a second before the end, unless the gateway has said that it would be in vain.
        let rest = left - .seconds(1)
        return (asked ?? .zero) < .seconds(1) && rest >= .milliseconds(500) ? rest : nil
    }
}
