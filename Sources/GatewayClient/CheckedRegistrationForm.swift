public import CaptureModel

/// What a device without App Attest says when it registers.
public struct CheckedRegistrationForm: Sendable, Equatable {
    /// The hardware model.
    public var model: String
    /// What DeviceCheck gave the app: base64.
    public var deviceToken: String
    /// The app's own key: `ed25519` or `p256`.
    public var algorithm: Device.KeyAlgorithm
    /// The public key.
    public var publicKey: [UInt8]
    /// The challenge that the key answers.
    public var challenge: [UInt8]
    /// The key's signature over ``RegistrationMessage/bytes(challenge:)``.
    public var signature: [UInt8]

    /// Fills in the form.
    public init(
        model: String, deviceToken: String, algorithm: Device.KeyAlgorithm, publicKey: [UInt8], challenge: [UInt8],
        signature: [UInt8]
    ) {
        self.model = model
        self.deviceToken = deviceToken
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.challenge = challenge
        self.signature = signature
    }
}
