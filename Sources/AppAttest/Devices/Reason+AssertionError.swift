package import CaptureModel

extension Reason {
    /// The reason that reports a failed step of an assertion's verification, for captures and requests.
    ///
    /// Every case is listed, so that a new one must be decided here before it compiles. Some do not occur: each
    /// clientDataHash is a SHA-256 made here; and of steps 6 and 7, the record compares counters, and the rollout judges
    /// extensions.
    package init(_ error: AssertionError) {
        switch error.code {
        case .signatureInvalid, .clientDataHashLength, .publicKeyMalformed: self = .signatureInvalid
        case .rpIDMismatch: self = .rpIDMismatch
        case .assertionTooLarge, .assertionMalformed, .assertionTrailingBytes, .assertionNotAMap, .assertionIncomplete,
            .authenticatorDataShort, .extensionsMalformed, .extensionsTrailingBytes, .extensionsNotAMap,
            .extensionsMissing, .counterNotGreater, .validationCategoryNotAllowed, .bundleVersionNotAllowed,
            .validationCategoryBelowAttested, .bundleVersionBelowAttested:
            self = .assertionMalformed
        }
    }
}
