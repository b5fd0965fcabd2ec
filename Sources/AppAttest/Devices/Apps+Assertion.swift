package import CaptureModel

extension [AppID] {
    /// The app that an assertion of a device is to be verified for; `nil` when the key's own app is not among these.
    ///
    /// The caller must still verify that the assertion is for this app. An assertion that names none of these apps is
    /// verified for the first one, so that a forged signature is reported before a foreign app, with one signature
    /// check.
    package func app(for assertion: ParsedAssertion, of device: Device) -> AppID? {
        app(for: assertion, attested: device.appID)
    }

    /// The app that an assertion is to be verified for, by the app of the key's attestation.
    /// - Parameter attested: The app of the attestation: the key is for no other one. Without it the assertion itself
    ///   says which of these apps it is for.
    package func app(for assertion: ParsedAssertion, attested: String?) -> AppID? {
        if let attested { return first { $0.text == attested } }
        let named = assertion.rpIDHash
        return first { $0.rpIDHash == named } ?? first
    }
}

extension AppID {
    /// The app that a device's key was attested for, where that is known.
    package init?(of device: Device) {
        guard let text = device.appID else { return nil }
        self.init(text)
    }
}
