import CBOR

/// Verifies assertions: that a registered key signed this client data, for this app.
///
/// ```swift
/// let digest = Array(SHA256.hash(data: clientData))
/// let key = try AssertionKey(x963: publicKey)
/// let assertion = try AssertionVerifier().verify(signed, clientDataHash: digest, publicKey: key, appID: app)
/// // Then compare and store assertion.counter, in one transaction.
/// ```
///
/// The steps: 1. strict CBOR, one map, both byte strings; 2. the public key; 3. the clientDataHash's length and the
/// signature; 4. the authenticator data's structure; 5. the app; 6. the counter, which the caller compares; 7. the
/// extensions of iOS 27. The first one that fails gives the reason. There are two ways to take them, which accept the
/// same assertions:
///
/// - ``verify(_:clientDataHash:publicKey:appID:attested:)`` takes them in this order: it interprets nothing unsigned.
/// - ``parse(_:)`` takes steps 1 and 4, and ``verify(_:appID:attested:)`` the others. So a malformed assertion is
///   refused before its signature is verified, which costs more; and this package's workers verify many signatures at
///   once between the two.
///
/// So an assertion that fails several steps may get another reason on the second way. On both ways only a
/// ``VerifiedAssertion`` has a counter that was signed.
///
/// An ECDSA signature can be altered and stay valid: two assertions are the same when their key and counter are,
/// whatever their bytes. The same assertion verifies any number of times: comparing the counter
/// [is left to you](<doc:WhatIsLeftToYou>).
public struct AssertionVerifier: Sendable {
    /// Bounds on what is read.
    public let limits: Limits
    /// What the extensions of iOS 27 must say.
    public let extensionPolicy: ExtensionPolicy

    /// Bounds on the work that one assertion can cause, and the length of the clientDataHash.
    public struct Limits: Hashable, Sendable {
        /// Bytes of an assertion; default 16 KiB, where real ones have up to 205: an attestation sent in its place is
        /// then told apart from junk.
        public var assertionBytesMax: Int
        /// Nested maps and arrays; default 4, where real ones have 1.
        public var depthMax: Int
        /// CBOR items; default 256, where real ones have 5.
        public var itemsMax: Int
        /// Bytes of a clientDataHash, no more and no fewer; default 32, as SHA-256 has.
        ///
        /// The signature is over the authenticator data and the clientDataHash in one piece, and does not say where the
        /// one ends and the other begins: only this length does. With any length, whoever has an assertion could move
        /// its signed extensions, or the first bytes of the client data, from one to the other.
        public var clientDataHashBytes: Int

        /// Creates limits; each has a default.
        public init(
            assertionBytesMax: Int = 16_384, depthMax: Int = 4, itemsMax: Int = 256, clientDataHashBytes: Int = 32
        ) {
            self.assertionBytesMax = assertionBytesMax
            self.depthMax = depthMax
            self.itemsMax = itemsMax
            self.clientDataHashBytes = clientDataHashBytes
        }

        var cbor: CBORLimits { CBORLimits(bytesMax: assertionBytesMax, depthMax: depthMax, itemsMax: itemsMax) }

        /// Step 3, before the signature.
        func check(_ clientDataHash: [UInt8]) throws(AssertionError) {
            guard clientDataHash.count == clientDataHashBytes else { throw AssertionError(.clientDataHashLength) }
        }
    }

    /// Creates a verifier; it holds no state.
    public init(limits: Limits = Limits(), extensionPolicy: ExtensionPolicy = ExtensionPolicy()) {
        self.limits = limits
        self.extensionPolicy = extensionPolicy
    }

    /// Parses an assertion without verifying it, enough to refuse malformed ones at the gateway.
    ///
    /// - Throws: ``AssertionError`` of step 1 or 4.
    public func parse(_ assertion: [UInt8]) throws(AssertionError) -> ParsedAssertion {
        let object = try AssertionObject(assertion, limits: limits)
        return ParsedAssertion(signature: object.signature, data: try Self.parse(object.authenticatorData))
    }

    /// Verifies signature, app and extensions of a parsed assertion.
    ///
    /// - Parameter attested: What the key's attestations say about the app, where the policy compares with it.
    /// - Throws: ``AssertionError`` for the first step that fails.
    public func verify(
        _ signed: SignedAssertion, appID: AppID, attested: AttestedExtensions? = nil
    ) throws(AssertionError) -> VerifiedAssertion {
        try limits.check(signed.clientDataHash)
        try signed.checkSignature()
        return try checkClaims(signed.assertion.data, appID, attested)
    }

    /// Verifies an assertion as received, step by step: nothing unsigned is interpreted.
    ///
    /// - Parameters:
    ///   - assertion: The object as the device sent it.
    ///   - clientDataHash: SHA-256 over the client data. Its length is that of ``Limits/clientDataHashBytes``.
    ///   - publicKey: The key that was registered.
    ///   - appID: The app that the key was registered for.
    ///   - attested: What the key's attestations say about the app, where the policy compares with it.
    /// - Throws: ``AssertionError`` for the first step that fails.
    public func verify(
        _ assertion: [UInt8], clientDataHash: [UInt8], publicKey: AssertionKey, appID: AppID,
        attested: AttestedExtensions? = nil
    ) throws(AssertionError) -> VerifiedAssertion {
        let object = try AssertionObject(assertion, limits: limits)
        try limits.check(clientDataHash)
        let nonce = Nonce.digest(object.authenticatorData, clientDataHash)
        try publicKey.requireSignature(object.signature, over: nonce)
        return try checkClaims(try Self.parse(object.authenticatorData), appID, attested)
    }

    /// Step 4, with the codes of assertions.
    private static func parse(_ bytes: [UInt8]) throws(AssertionError) -> AuthenticatorData {
        do throws(AuthenticatorData.Fault) {
            return try AuthenticatorData(bytes, isAttestation: false)
        } catch {
            switch error {
            case .extensionsMalformed(let cause): throw AssertionError(.extensionsMalformed, detail: "\(cause)")
            case .extensionsTrailingBytes: throw AssertionError(.extensionsTrailingBytes)
            case .extensionsNotAMap: throw AssertionError(.extensionsNotAMap)
            case .extensionsMissing: throw AssertionError(.extensionsMissing)
            // The rest belongs to credentials, which assertions do not have.
            case .short, .credentialMissing, .credentialIDLength, .keyMalformed, .keyUnsupported:
                throw AssertionError(.authenticatorDataShort)
            }
        }
    }

    /// Steps 5 and 7: the app, and what it says about itself.
    private func checkClaims(
        _ data: AuthenticatorData, _ appID: AppID, _ attested: AttestedExtensions?
    ) throws(AssertionError) -> VerifiedAssertion {
        guard data.rpIDHash.elementsEqual(appID.rpIDHash) else { throw AssertionError(.rpIDMismatch) }
        do throws(ExtensionPolicy.Violation) {
            if let extensions = data.extensions { try extensionPolicy.check(extensions, attested: attested) }
        } catch {
            switch error {
            case .category: throw AssertionError(.validationCategoryNotAllowed)
            case .bundleVersion: throw AssertionError(.bundleVersionNotAllowed)
            case .categoryBelowAttested: throw AssertionError(.validationCategoryBelowAttested)
            case .bundleVersionBelowAttested: throw AssertionError(.bundleVersionBelowAttested)
            }
        }
        return VerifiedAssertion(counter: data.counter, extensions: data.extensions)
    }
}
