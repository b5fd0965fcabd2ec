package import CaptureModel

extension CaptureMetrics {
    /// Counts an exchange of a device's receipt.
    package static func receiptExchange(_ outcome: ReceiptOutcome) {
        count(MetricCatalogue.receiptExchanges, outcome.rawValue)
    }

    /// Notes whether Apple's servers of an environment refuse the developer's key, as their last answer says.
    package static func developerKey(isRefused: Bool, in environment: KeyEnvironment) {
        set(MetricCatalogue.developerKeyRefused, to: isRefused ? 1 : 0, environment.rawValue)
    }

    /// The outcome of a step of an enrolment.
    package enum EnrolmentOutcome: String, Sendable, CaseIterable {
        /// The step was done.
        case done
        /// The request was refused.
        case refused
        /// A fault of the system, or a server is away.
        case error
    }

    /// Counts a step of an enrolment.
    package static func enrolment(_ step: EnrolmentStep, _ outcome: EnrolmentOutcome) {
        count(MetricCatalogue.enrolments, step.rawValue, outcome.rawValue)
    }

    // MARK: Rollouts

    /// The subject of a rollout's ruling.
    package enum RolloutSubject: String, Sendable, CaseIterable {
        /// An attestation: of a registration, or of a registered key.
        case attestation
        /// A capture.
        case capture
    }

    /// The outcome of a rollout's ruling, and the outcome if more of the rollout were in force.
    package enum RolloutOutcome: String, Sendable, CaseIterable {
        /// The percentage covers the device, which meets the requirements.
        case accepted
        /// It was refused.
        case rejected
        /// `enforce` would have refused it.
        case wouldReject = "would_reject"
        /// The percentage does not cover the device, which meets the requirements.
        case outside
        /// Outside the percentage, and it does not meet the requirements: a higher percentage would refuse or mark it.
        case outsideUnmet = "outside_unmet"

        /// The outcome of a ruling.
        init(_ ruling: RolloutRuling) {
            if ruling.isWithin {
                self = ruling.unmet.isEmpty ? .accepted : ruling.mode == .enforce ? .rejected : .wouldReject
            } else {
                self = ruling.unmet.isEmpty ? .outside : .outsideUnmet
            }
        }
    }

    /// The outcome of a change of the rollout's file.
    package enum RolloutReload: String, Sendable, CaseIterable {
        /// The new policy is in force.
        case loaded
        /// The file is no valid policy, and the one before stays in force.
        case refused
    }

    /// The key under which rulings are counted together.
    private struct Judged<Label: Hashable>: Hashable {
        let mode: RolloutMode
        let label: Label
    }

    /// Counts rulings, equal ones together: finding a series costs far more than adding to it.
    package static func rollouts(_ rulings: [RolloutRuling], of subject: RolloutSubject) {
        var outcomes: [Judged<RolloutOutcome>: Int] = [:]
        var unmet: [Judged<RolloutRequirement>: Int] = [:]
        for ruling in rulings {
            outcomes[Judged(mode: ruling.mode, label: RolloutOutcome(ruling)), default: 0] += 1
            for requirement in ruling.unmet where ruling.isWithin {
                unmet[Judged(mode: ruling.mode, label: requirement), default: 0] += 1
            }
        }
        for (kind, amount) in outcomes {
            count(
                MetricCatalogue.rolloutRulings, by: amount, subject.rawValue, kind.mode.rawValue, kind.label.rawValue)
        }
        for (kind, amount) in unmet {
            count(MetricCatalogue.rolloutUnmet, by: amount, subject.rawValue, kind.mode.rawValue, kind.label.rawValue)
        }
    }

    /// Counts a change of the rollout's file.
    package static func rolloutReload(_ outcome: RolloutReload) {
        count(MetricCatalogue.rolloutReloads, outcome.rawValue)
    }

    /// Notes whether the rollout's file is the policy in force.
    package static func rolloutFile(isInForce: Bool) {
        set(MetricCatalogue.rolloutFileInForce, to: isInForce ? 1 : 0)
    }

    /// Notes since when the policy has been in force.
    package static func rolloutInForce(since moment: Timestamp) {
        set(MetricCatalogue.rolloutSince, to: Double(moment.microsecondsSince1970) / 1_000_000)
    }
}
