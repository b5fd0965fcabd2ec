package import AppAttest
package import CaptureModel

extension [AppID] {
    /// The app of these that an assertion by a device's key is to be held to; `nil` when the key's own is none of them.
    ///
    /// ```swift
    /// let assertion = try verifier.parse(bytes)
    /// guard let app = configuration.appIDs.app(for: assertion, of: device) else { … }
    /// let verified = try verifier.verify(signed, appID: app)
    /// ```
    ///
    /// That the assertion is for this app is still to be verified: one that names none of them is held to the first, so
    /// that a forged signature is told before a foreign app, and with one look at the signature.
    package func app(for assertion: ParsedAssertion, of device: Device) -> AppID? {
        app(for: assertion, attested: device.appID)
    }

    /// The same for a key without its device.
    /// - Parameter attested: The app of its attestation: such a key is for no other one. Without it the assertion itself
    ///   says which of these it is for.
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
