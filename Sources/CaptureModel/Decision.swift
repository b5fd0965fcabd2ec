/// What became of a capture for good: its verdict, and the reason if it was rejected.
package enum Decision: Sendable, Hashable {
    /// Accepted.
    case verified
    /// Not accepted, for this reason.
    case rejected(Reason)

    /// Joins a verdict and a reason; `nil` for a verified capture with a reason, and for a rejected one without.
    package init?(_ verdict: Verdict, _ reason: Reason?) {
        switch (verdict, reason) {
        case (.verified, nil): self = .verified
        case (.rejected, let reason?): self = .rejected(reason)
        case (.verified, .some), (.rejected, nil): return nil
        }
    }

    /// The verdict without its reason.
    package var verdict: Verdict {
        switch self {
        case .verified: .verified
        case .rejected: .rejected
        }
    }

    /// Why the capture was rejected; `nil` for a verified one.
    package var reason: Reason? {
        switch self {
        case .verified: nil
        case .rejected(let reason): reason
        }
    }
}
