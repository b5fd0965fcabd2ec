package import AppAttest
package import CaptureModel

extension Reason {
    /// The reason that a failed step of an assertion's verification is told by, of captures and requests alike.
    ///
    /// Every case is listed, so that a new one does not compile undecided. Those of step 6 and 7 do not come about:
    /// counters are the record's to compare, and extensions the rollout's to judge.
    package init(_ error: AssertionError) {
        switch error.code {
        case .signatureInvalid, .publicKeyMalformed: self = .signatureInvalid
        case .rpIDMismatch: self = .rpIDMismatch
        case .assertionTooLarge, .assertionMalformed, .assertionTrailingBytes, .assertionNotAMap, .assertionIncomplete,
            .authenticatorDataShort, .extensionsMalformed, .extensionsTrailingBytes, .extensionsNotAMap,
            .extensionsMissing, .counterNotGreater, .validationCategoryNotAllowed, .bundleVersionNotAllowed,
            .validationCategoryBelowAttested, .bundleVersionBelowAttested:
            self = .assertionMalformed
        }
    }
}
