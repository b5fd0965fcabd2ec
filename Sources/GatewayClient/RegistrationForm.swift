/// What a device says when it registers.
package struct RegistrationForm: Sendable, Equatable {
    /// The hardware model.
    package var model: String
    /// Whether there is a LiDAR sensor.
    package var hasLidar: Bool
    /// SHA-256 of the public key.
    package var keyID: [UInt8]
    /// The attestation object.
    package var attestation: [UInt8]
    /// The challenge that it answers.
    package var challenge: [UInt8]

    /// Fills in the form.
    package init(model: String, hasLidar: Bool = true, keyID: [UInt8], attestation: [UInt8], challenge: [UInt8]) {
        self.model = model
        self.hasLidar = hasLidar
        self.keyID = keyID
        self.attestation = attestation
        self.challenge = challenge
    }
}
