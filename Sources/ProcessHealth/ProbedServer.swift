/// What a process has found of a server that it asked.
package enum ProbedServer: Sendable, Equatable {
    /// It answers.
    case answers
    /// It answers, and would not do what it is needed for; why.
    case refuses(String)
    /// It does not answer; what was met instead.
    case isAway(String)

    /// `nil` where it was not asked.
    init?(_ outcome: Probe.Outcome) {
        switch outcome {
        case .answered: self = .answers
        case .refused(let why): self = .refuses(why)
        case .failed(let why): self = .isAway(why)
        case .busy: return nil
        }
    }
}
