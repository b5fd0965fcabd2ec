import AppAttest

/// Nothing but what the test authority certified is accepted.
///
/// The keys of the authority and of its one device were thrown away when the corpus was made: an attestation that
/// verifies is one of those that were certified then.
func fuzzAttestation(_ input: [UInt8]) throws(BrokenProperty) {
    let device = CorpusDevice.self
    let claimed = UnverifiedAttestation.publicKey(in: input, keyID: device.keyID)
    try property(claimed == nil || claimed == device.publicKey, "a claimed key is the one of its key id")
    guard let verifier = device.verifier else { throw BrokenProperty(description: "the corpus's root is one") }
    let verified: VerifiedAttestation
    do throws(AttestationError) {
        verified = try verifier.verify(
            attestation: input, keyID: device.keyID, clientDataHash: device.clientDataHash, at: device.moment)
    } catch {
        try property(error.step.map((1...15).contains) ?? false, "a refusal names its step")
        return
    }
    try property(verified.publicKey == device.publicKey, "only the certified key is accepted")
    try property(verified.counter == 0 && verified.appID == device.app, "a fresh key of the app is accepted")
    try property(claimed == device.publicKey, "an accepted attestation carries its key")
}
