/// How often a capture that meets a fault is tried, and how long its lane is put off each time.
struct RetryRule: Sendable {
    /// After how many attempts the capture becomes a dead letter.
    let attemptsMax: Int
    /// How long the lane is put off, given the attempts of its head.
    let delay: @Sendable (Int) -> Duration
}
