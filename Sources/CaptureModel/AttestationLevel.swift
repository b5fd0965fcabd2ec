/// What is known of the device behind a key.
public enum AttestationLevel: String, Sendable, CaseIterable, Codable {
    /// Apple attested that the key lives in a Secure Enclave, down to a configured root.
    case secureEnclave = "secure_enclave"
    /// Nobody vouches for the key.
    case unverified

    /// The most that a capture of such a device can be worth.
    public var confidenceMax: Confidence {
        switch self {
        case .secureEnclave: .high
        case .unverified: .medium
        }
    }
}

/// The App Attest environment of a key, told by the AAGUID.
public enum AttestEnvironment: String, Sendable, CaseIterable, Codable {
    /// Keys of shipped apps.
    case production
    /// Keys of development builds.
    case development
}
