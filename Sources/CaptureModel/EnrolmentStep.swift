/// One step of an enrolment, in their order; metrics and limits use the raw values.
package enum EnrolmentStep: String, CaseIterable, Sendable {
    /// Use an invitation up.
    case start
    /// Attest the device's key.
    case attestation
    /// Set the password hash.
    case password
    /// Fetch the credential.
    case finalize

    /// The name of the step as the next one in answers (`next_step`, `expected_step`).
    package var nameAsNext: String {
        switch self {
        case .attestation, .password: "\(rawValue)_required"
        case .start, .finalize: rawValue
        }
    }
}
