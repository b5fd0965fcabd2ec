/// One thing wrong with a receipt's envelope, to test each check of a verifier.
///
/// Flaws inside of the content are made by the caller, in ``ReceiptContent``.
package enum ReceiptFlaw: String, Sendable, Hashable, CaseIterable {
    // MARK: The message

    /// A byte follows the message.
    case trailingByte
    /// The last byte is missing.
    case truncated
    /// The message says that it is enveloped, not signed data.
    case notSignedData
    /// The content is of another type than data.
    case otherContentType
    /// There is no content: the signature is detached.
    case contentMissing
    /// A piece of the content consists of pieces itself.
    case contentNested
    /// One of the certificates is malformed.
    case certificateMalformed
    /// There are nine certificates.
    case certificatesMany

    // MARK: The signer

    /// There is no signer.
    case signerMissing
    /// The same signer twice.
    case signerTwice
    /// The signer's certificate is missing.
    case signerCertificateMissing
    /// The signer's certificate is there twice.
    case signerCertificateTwice
    /// The signer is named by another serial number.
    case otherSerialNumber
    /// The digest is called SHA-384.
    case otherDigest
    /// The signature is called one with SHA-384.
    case otherAlgorithm
    /// One bit of the signature is wrong.
    case signature
    /// One bit of the content was changed after it was signed.
    case contentEdited

    // MARK: The chain

    /// The intermediate is missing.
    case intermediateMissing
    /// One bit of the signature of the signer's certificate is wrong.
    case signerCertificateSignature
}
