/// What a device says when it registers.
public struct RegistrationForm: Sendable, Equatable {
    /// The hardware model.
    public var model: String
    /// Whether there is a LiDAR sensor.
    public var hasLidar: Bool
    /// SHA-256 of the public key.
    public var keyID: [UInt8]
    /// The attestation object.
    public var attestation: [UInt8]
    /// The challenge that it answers.
    public var challenge: [UInt8]

    /// Fills in the form.
    public init(model: String, hasLidar: Bool = true, keyID: [UInt8], attestation: [UInt8], challenge: [UInt8]) {
        self.model = model
        self.hasLidar = hasLidar
        self.keyID = keyID
        self.attestation = attestation
        self.challenge = challenge
    }
}
