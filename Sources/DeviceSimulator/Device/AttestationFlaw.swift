/// One thing wrong with an attestation that is otherwise perfect, to test each check of a verifier.
///
/// The nonce covers the changes of a flaw in the authenticator data, and the signature covers those in the leaf. So no
/// check fails before the intended one.
package enum AttestationFlaw: String, Sendable, Hashable, CaseIterable {
    // MARK: The object

    /// `fmt` is `none`.
    case format
    /// A byte follows the object.
    case trailingByte
    /// The last byte is missing.
    case truncated
    /// There is no receipt.
    case receiptMissing

    // MARK: The chain

    /// `x5c` is the leaf alone.
    case intermediateMissing
    /// `x5c` names the root as well.
    case rootIncluded
    /// The intermediate comes first.
    case chainReversed
    /// The root signed the leaf.
    case leafSignedByRoot
    /// One bit of the leaf's signature is wrong.
    case leafSignature
    /// The leaf claims to be an authority.
    case leafIsAuthority
    /// The leaf's three days are over.
    case leafExpired
    /// The leaf's three days are to come.
    case leafNotYetValid
    /// The leaf certifies the key of another device.
    case leafKeyOfOtherDevice

    // MARK: The nonce

    /// The attestation is for another challenge.
    case otherClientDataHash
    /// The leaf has no nonce.
    case nonceMissing
    /// The nonce is an octet string alone.
    case nonceBare
    /// The right nonce stands at the end of a longer value.
    case nonceBehindJunk

    // MARK: The authenticator data

    /// They are for another app.
    case otherAppID
    /// The counter is 1.
    case counterNotZero
    /// The AAGUID belongs to neither environment.
    case unknownAAGUID
    /// The AAGUID is of the other environment.
    case otherEnvironment
    /// The flag AT is clear.
    case attestedDataFlagClear
    /// The credential id is of another key.
    case credentialIDOfOtherDevice
    /// The credential id claims to be longer than the data.
    case credentialIDLength
    /// The COSE key is another device's.
    case publicKeyOfOtherDevice
    /// The COSE key ends early.
    case publicKeyTruncated
    /// The flag ED is set, but nothing follows.
    case extensionsMissing
    /// Bytes follow the extension map.
    case extensionsTrailingByte
    /// The extensions are an array.
    case extensionsNotAMap
}
