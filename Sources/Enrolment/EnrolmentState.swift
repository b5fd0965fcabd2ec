package import CaptureModel

/// How far an enrolment has come: `attestation_required → password_required → password_set → enrolled`, never back.
///
/// The raw values stand in PostgreSQL, where a trigger holds them to that order.
package enum EnrolmentState: String, CaseIterable, Sendable {
    /// The invitation is used, and the device's key is to be attested.
    case attestationRequired = "attestation_required"
    /// The device is registered, and its user's password hash is to be set.
    case passwordRequired = "password_required"
    /// The password hash is kept, and the credential is to be fetched.
    case passwordSet = "password_set"
    /// The credential is made.
    case enrolled

    /// The step that may be taken now; the last one may be taken again, and gives the same.
    package var nextStep: EnrolmentStep {
        switch self {
        case .attestationRequired: .attestation
        case .passwordRequired: .password
        case .passwordSet, .enrolled: .finalize
        }
    }
}
