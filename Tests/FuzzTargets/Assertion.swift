import AppAttest

/// Nothing but what the device signed is accepted.
///
/// Its key was thrown away when the corpus was made: an assertion that verifies carries a counter signed then.
func fuzzAssertion(_ input: [UInt8]) throws(BrokenProperty) {
    let device = CorpusDevice.self
    guard let app = device.app, let key = try? AssertionKey(x963: device.publicKey) else {
        throw BrokenProperty(description: "the corpus's key is one")
    }
    let verifier = AssertionVerifier()
    let parsed = Result { () throws(AssertionError) in try verifier.parse(input) }
    let verified = Result { () throws(AssertionError) in
        try verifier.verify(input, clientDataHash: device.clientDataHash, publicKey: key, appID: app)
    }
    switch (parsed, verified) {
    case (.success(let parsed), .success(let verified)):
        try property(device.signedCounters.contains(verified.counter), "only signed counters are accepted")
        try property(parsed.counter == verified.counter, "both ways of reading find the same counter")
        try property(parsed.authenticatorData.count >= 37, "authenticator data have their fixed part")
        let signed = SignedAssertion(parsed, clientDataHash: device.clientDataHash, publicKey: key)
        let again = try? verifier.verify(signed, appID: app)
        try property(again?.counter == verified.counter, "what was taken apart verifies as the whole does")
    case (.success(let parsed), .failure(let error)):
        try property([3, 5, 7].contains(error.step), "an assertion that can be read fails by what it says")
        let signed = SignedAssertion(parsed, clientDataHash: device.clientDataHash, publicKey: key)
        try property((try? verifier.verify(signed, appID: app)) == nil, "what was taken apart fails as the whole does")
    case (.failure(let error), .failure):
        try property([1, 4].contains(error.step), "reading an assertion fails by its structure")
    case (.failure, .success):
        throw BrokenProperty(description: "an assertion that cannot be read does not verify")
    }
}
