/// One step of an enrolment, in their order; the raw values are what metrics and limits call them.
public enum EnrolmentStep: String, CaseIterable, Sendable {
    /// Use an invitation up.
    case start
    /// Attest the device's key.
    case attestation
    /// Set the password hash.
    case password
    /// Fetch the credential.
    case finalize

    /// What answers call it where it is the next one (`next_step`, `expected_step`).
    public var nameAsNext: String {
        switch self {
        case .attestation, .password: "\(rawValue)_required"
        case .start, .finalize: rawValue
        }
    }
}
