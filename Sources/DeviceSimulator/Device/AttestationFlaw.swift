/// One thing wrong with an attestation that is otherwise perfect.
///
/// The nonce covers the changes of a flaw in the authenticator data, and the signature covers those in the leaf. So no
/// check fails before the intended one.
package enum AttestationFlaw: String, Sendable, Hashable, CaseIterable {
    /// `fmt` is `none`.
    case format
    /// There is no receipt.
    case receiptMissing
    /// The leaf certifies the key of another device.
    case leafKeyOfOtherDevice
    /// The attestation is for another challenge.
    case otherClientDataHash
    /// The authenticator data are for another app.
    case otherAppID
    /// The counter is 1.
    case counterNotZero
    /// The AAGUID is of the other environment.
    case otherEnvironment
}
