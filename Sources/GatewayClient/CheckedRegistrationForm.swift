package import CaptureModel

/// What a device without App Attest says when it registers.
package struct CheckedRegistrationForm: Sendable, Equatable {
    /// The hardware model.
    package var model: String
    /// The token that DeviceCheck gave the app, in base64.
    package var deviceToken: String
    /// The app's own key: `ed25519` or `p256`.
    package var algorithm: Device.KeyAlgorithm
    /// The public key.
    package var publicKey: [UInt8]
    /// The challenge that the key answers.
    package var challenge: [UInt8]
    /// The key's signature over ``RegistrationMessage/bytes(challenge:)``.
    package var signature: [UInt8]

    /// Fills in the form.
    package init(
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
