import CaptureModel
package import Crypto
package import FoundationEssentials
import SwiftASN1
import X509

/// Stands in for Apple's server that signs receipts, under a test authority.
///
/// ```swift
/// let issuer = try TestReceiptIssuer(authority: authority, at: now)
/// let attestation = try phone.attest(clientDataHash: hash, authority: authority, at: now, receipts: issuer)
/// let renewed = try issuer.renew(receipt, riskMetric: 2, at: tomorrow)
/// ```
///
/// Its receipts have the form of Apple's, byte for byte; a verifier accepts them only when its policy names the
/// authority's root. It is made for one moment: like Apple's, its certificate is valid for thirteen months.
package struct TestReceiptIssuer: Sendable {
    private let key: P256.Signing.PrivateKey
    private let certificates: [[UInt8]]
    private let issuer: [UInt8]
    private let serialNumber: [UInt8]

    static let name = "TEST ONLY Application Attestation Fraud Receipt Signing"
    private static let validity: TimeInterval = 396 * 86_400

    /// Makes a signer under the authority's intermediate, valid for thirteen months from a day before the moment.
    /// - Throws: `CERTIFICATE`.
    package init(authority: TestCertificateAuthority, at moment: Date) throws(SimulatorError) {
        let key = P256.Signing.PrivateKey()
        let signer = try authority.mintReceiptSigner(
            name: Self.name, key: key.publicKey, notBefore: LeafRequest.notBefore(issuedAt: moment),
            validity: Self.validity)
        try self.init(
            key: key, certificates: [signer, try authority.intermediateDER, try authority.rootDER])
    }

    /// Signs with a key and its given chain: DER, the signer's certificate first.
    /// - Throws: `CERTIFICATE` if the first one is not a certificate.
    package init(key: P256.Signing.PrivateKey, certificates: [[UInt8]]) throws(SimulatorError) {
        do {
            guard let first = certificates.first else { throw SimulatorError(.certificate, "no certificate") }
            let signer = try Certificate(derEncoded: first)
            issuer = try Self.der(signer.issuer)
            serialNumber = try Self.der(signer.serialNumber.bytes)
        } catch {
            throw SimulatorError(.certificate, "the signer's certificate cannot be read")
        }
        self.key = key
        self.certificates = certificates
    }

    private static func der(_ value: some DERSerializable) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        return serializer.serializedBytes
    }

    /// Signs contents.
    /// - Throws: `SIGNATURE`.
    package func sign(
        _ content: ReceiptContent, form: ReceiptForm = .current, flaw: ReceiptFlaw? = nil
    ) throws(SimulatorError) -> [UInt8] {
        try sign(content.encoded, form: form, flaw: flaw)
    }

    /// Signs any bytes in place of contents.
    /// - Throws: `SIGNATURE`.
    package func sign(
        _ content: [UInt8], form: ReceiptForm = .current, flaw: ReceiptFlaw? = nil
    ) throws(SimulatorError) -> [UInt8] {
        try ReceiptEnvelope(
            certificates: certificates, issuer: issuer, serialNumber: serialNumber, form: form, flaw: flaw
        ).message(content, key: key)
    }

    /// Renews a receipt, as Apple's server does: for the same key, with the same token, and with a risk metric.
    ///
    /// The old receipt's signature is not verified.
    /// - Throws: `RECEIPT` for bytes that are not a receipt.
    package func renew(_ receipt: [UInt8], riskMetric: Int, at moment: Date) throws(SimulatorError) -> [UInt8] {
        try sign(ReceiptContent(renewing: ReceiptReader.fields(receipt), riskMetric: riskMetric, at: moment))
    }
}
