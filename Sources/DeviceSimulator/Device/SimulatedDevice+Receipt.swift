import Crypto
package import FoundationEssentials

extension SimulatedDevice {
    /// The contents of the receipt in an attestation of this device, to be signed by a ``TestReceiptIssuer``.
    /// - Throws: `CERTIFICATE`.
    package func receiptContent(
        clientDataHash: [UInt8], authority: TestCertificateAuthority, at moment: Date
    ) throws(SimulatorError) -> ReceiptContent {
        let nonce = Array(SHA256.hash(data: clientDataHash))
        let leaf = try authority.mint(leafRequest(nonce: nonce, at: moment, nil))
        return receiptContent(certificate: leaf, clientDataHash: clientDataHash, at: moment)
    }

    /// The contents of a receipt for an attestation with a given leaf, as DER.
    ///
    /// The token is derived from the key, so that all receipts of the device have the same one.
    func receiptContent(certificate: [UInt8], clientDataHash: [UInt8], at moment: Date) -> ReceiptContent {
        ReceiptContent(
            appID: appID, certificate: certificate, clientDataHash: clientDataHash,
            token: Data(SHA512.hash(data: publicKey)).base64EncodedString(), environment: environment, at: moment)
    }
}
