/// What is known of the device behind a key.
package enum AttestationLevel: String, Sendable, CaseIterable, Codable {
    /// Apple attested that the key lives in a Secure Enclave, down to a configured root.
    case secureEnclave = "secure_enclave"
    /// Nobody vouches for the key.
    case unverified

    /// The highest confidence that a capture of such a device can reach.
    package var confidenceMax: Confidence {
        switch self {
        case .secureEnclave: .high
        case .unverified: .medium
        }
    }
}
