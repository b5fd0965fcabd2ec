/// One thing wrong with a receipt's envelope, so that a verifier's every check can be seen to bite.
///
/// What is wrong inside of the content is the caller's to write into ``ReceiptContent``.
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
    /// A certificate is not one.
    case certificateMalformed
    /// There are nine certificates.
    case certificatesMany

    // MARK: The signer

    /// Nobody signed.
    case signerMissing
    /// The same signer twice.
    case signerTwice
    /// The signer's certificate is not there.
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

    /// The intermediate is not there.
    case intermediateMissing
    /// One bit of the signature of the signer's certificate is wrong.
    case signerCertificateSignature
}
