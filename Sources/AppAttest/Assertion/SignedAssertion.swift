import Crypto
package import MultiBufferP256

/// An assertion with the key and the client data that it is to be verified against.
public struct SignedAssertion: Sendable {
    /// The assertion, taken apart.
    public let assertion: ParsedAssertion
    let clientDataHash: [UInt8]
    let key: AssertionKey
    /// Whether the signature was already found valid; `false` says nothing about it.
    private(set) var isProven = false

    /// Takes the claim unverified.
    ///
    /// - Parameters:
    ///   - assertion: The result of ``AssertionVerifier/parse(_:)``.
    ///   - clientDataHash: SHA-256 over the client data. Its length is looked at when the assertion is verified.
    ///   - publicKey: The key that was registered.
    public init(_ assertion: ParsedAssertion, clientDataHash: [UInt8], publicKey: AssertionKey) {
        self.assertion = assertion
        self.clientDataHash = clientDataHash
        key = publicKey
    }

    /// Finds out for many assertions at once which signatures are valid, so that verifying them takes less time.
    ///
    /// The others are verified one by one: forged ones, those of Ed25519, and all of them when there are too few.
    package static func prove(_ signed: inout [SignedAssertion], by prover: SignatureProver) {
        var claims: [SignatureClaim] = []
        var places: [Int] = []
        for (place, one) in signed.enumerated() {
            guard let claim = one.key.claim(one.assertion.signature, of: one.nonce) else { continue }
            claims.append(claim)
            places.append(place)
        }
        guard claims.count >= SignatureProver.claimsWorthwhile else { return }
        for (place, isProven) in zip(places, prover.proven(claims)) { signed[place].isProven = isProven }
    }

    /// Step 3, unless the signature was already found valid.
    func checkSignature() throws(AssertionError) {
        if !isProven { try key.requireSignature(assertion.signature, over: nonce) }
    }

    private var nonce: SHA256.Digest { Nonce.digest(assertion.authenticatorData, clientDataHash) }
}
