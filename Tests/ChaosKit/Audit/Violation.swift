package import CaptureModel

/// A promise that was not kept.
package struct Violation: Sendable, Hashable {
    /// What promises there are: each has to be broken zero times.
    package enum Kind: String, Sendable, CaseIterable, Codable {
        /// Answered 202, and neither in the record nor a dead letter.
        case lost
        /// Answered 202, and never settled, but kept.
        case deadLetter = "dead letters"
        /// Two results for one bundle.
        case settledTwice = "settled twice"
        /// Two ids for one bundle.
        case answeredTwice = "answered with two ids"
        /// A result for what nobody was answered for.
        case unasked = "results nobody asked for"
        /// Another verdict or reason than it should have, or another counter than was signed.
        case wrongVerdict = "wrong verdicts"
        /// A genuine capture that was taken for a replay.
        case falseReplay = "false replays"
        /// A stored counter that went down, or is not that of the last accepted capture.
        case counterRegression = "counter regressions"
        /// A capture that was settled before an earlier one of its device.
        case orderViolation = "order violations"
        /// A refusal of what should have been taken.
        case refused = "wrong refusals"
        /// No answer although everything was well again.
        case unanswered
        /// Something in Redis that should be gone.
        case leftoverKey = "leftover keys"
        /// A row of the ledger that still waits for a result.
        case leftoverRow = "open ledger rows"
        /// Files that a sweep by the workers' rules does not remove.
        case leftoverFile = "leftover files"
        /// Bundles that were left to the sweep without a fault that explains it.
        case orphan = "bundles left to the sweep"
        /// A program that ended by itself.
        case crash = "crashes"
        /// A program that used more memory than it may.
        case memory = "memory over the limit"
    }

    /// Which promise.
    package let kind: Kind
    /// Which capture, if it is about one.
    package let capture: CaptureID?
    /// What happened.
    package let story: String

    /// Notes a violation.
    package init(_ kind: Kind, _ capture: CaptureID? = nil, _ story: String) {
        self.kind = kind
        self.capture = capture
        self.story = story
    }
}
