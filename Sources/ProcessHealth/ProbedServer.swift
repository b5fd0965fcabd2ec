/// What a probe found out about a server.
package enum ProbedServer: Sendable, Equatable {
    /// It answers.
    case answers
    /// It answers, but refuses what it is needed for; why.
    case refuses(String)
    /// It answers, and a key that tells its state is damaged; which one.
    case isDamaged(String)
    /// It does not answer; why.
    case isAway(String)

    /// `nil` for a server that was too busy here to be asked.
    init?(_ outcome: Probe.Outcome) {
        switch outcome {
        case .answered: self = .answers
        case .refused(let why): self = .refuses(why)
        case .damaged(let why): self = .isDamaged(why)
        case .failed(let why): self = .isAway(why)
        case .busy: return nil
        }
    }
}
