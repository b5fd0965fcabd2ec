import Crypto
package import FoundationEssentials

extension SimulatedDevice {
    /// What the receipt of an attestation of this device says, to be signed by a ``TestReceiptIssuer``.
    /// - Throws: `CERTIFICATE`.
    package func receiptContent(
        clientDataHash: [UInt8], authority: TestCertificateAuthority, at moment: Date
    ) throws(SimulatorError) -> ReceiptContent {
        let nonce = Array(SHA256.hash(data: clientDataHash))
        let leaf = try authority.mint(leafRequest(nonce: nonce, at: moment, nil))
        return receiptContent(certificate: leaf, clientDataHash: clientDataHash, at: moment)
    }

    /// The same with the leaf of the attestation that it belongs to, as DER.
    ///
    /// The token is made from the key, so that it is the same in all receipts of the device.
    func receiptContent(certificate: [UInt8], clientDataHash: [UInt8], at moment: Date) -> ReceiptContent {
        ReceiptContent(
            appID: appID, certificate: certificate, clientDataHash: clientDataHash,
            token: Data(SHA512.hash(data: publicKey)).base64EncodedString(), environment: environment, at: moment)
    }
}
