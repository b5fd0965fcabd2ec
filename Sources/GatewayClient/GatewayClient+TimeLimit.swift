extension Clock where Duration == Swift.Duration {
    /// What is left of a time that begins now, as often as it is asked for.
    func left(of limit: Duration) -> @Sendable () -> Duration {
        let end = now.advanced(by: limit)
        return { now.duration(to: end) }
    }
}

extension GatewayClient.Configuration {
    /// The pause after an attempt that failed, where there is a time for all of them; `nil` when it is spent.
    /// - Parameter left: What is left of that time; `nil` without one.
    func pause(after attempt: Int, asked: Duration?, left: Duration?) -> Duration? {
        let wanted = pause(after: attempt, asked: asked)
        guard let left, wanted >= left else { return wanted }
        // The last attempt comes a second before the end, unless the gateway has said that it would be in vain.
        let rest = left - .seconds(1)
        return (asked ?? .zero) < .seconds(1) && rest >= .milliseconds(500) ? rest : nil
    }
}
