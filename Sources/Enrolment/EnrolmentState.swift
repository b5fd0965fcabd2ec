package import CaptureModel

/// How far an enrolment has come: `attestation_required → password_required → password_set → enrolled`, never back.
///
/// The raw values are stored in PostgreSQL, where a trigger enforces that order.
package enum EnrolmentState: String, CaseIterable, Sendable {
    /// The invitation is used; next the device's key is attested.
    case attestationRequired = "attestation_required"
    /// The device is registered; next its user's password hash is set.
    case passwordRequired = "password_required"
    /// The password hash is stored; next the credential is fetched.
    case passwordSet = "password_set"
    /// The credential is made.
    case enrolled

    /// The next allowed step; the last one may be repeated and gives the same answer.
    package var nextStep: EnrolmentStep {
        switch self {
        case .attestationRequired: .attestation
        case .passwordRequired: .password
        case .passwordSet, .enrolled: .finalize
        }
    }
}
