import CBOR
import CaptureModel
import Crypto
package import FoundationEssentials

extension SimulatedDevice {
    /// Attests the device's key: an object as `DCAppAttestService.attestKey` returns it.
    ///
    /// Without an issuer of receipts, the receipt inside is opaque bytes that every verifier refuses.
    /// - Parameters:
    ///   - clientDataHash: SHA-256 of the server's challenge.
    ///   - moment: When Apple would have issued the leaf; it is valid from 24 hours before to 48 hours after.
    ///   - flaw: The intended flaw.
    ///   - receipts: Signs the receipt inside.
    /// - Throws: `CERTIFICATE`, `SIGNATURE`.
    package func attest(
        clientDataHash: [UInt8], authority: TestCertificateAuthority, at moment: Date, flaw: AttestationFlaw? = nil,
        receipts: TestReceiptIssuer? = nil
    ) throws(SimulatorError) -> [UInt8] {
        let data = authenticatorData(flaw).bytes
        let signedHash = flaw == .otherClientDataHash ? Array(SHA256.hash(data: clientDataHash)) : clientDataHash
        let nonce = Array(SHA256.hash(data: data + signedHash))
        let leaf = try authority.mint(leafRequest(nonce: nonce, at: moment, flaw))
        let receipt =
            if let receipts {
                try receipts.sign(receiptContent(certificate: leaf, clientDataHash: clientDataHash, at: moment))
            } else {
                Self.receipt
            }
        let certificates = CBORValue.array([.bytes(leaf), .bytes(try authority.intermediateDER)])
        return CBORValue([
            "fmt": .text(flaw == .format ? "none" : "apple-appattest"),
            "attStmt": flaw == .receiptMissing
                ? CBORValue(["x5c": certificates])
                : CBORValue(["x5c": certificates, "receipt": .bytes(receipt)]),
            "authData": .bytes(data),
        ]).encode()
    }

    /// Takes the place of Apple's signed receipt.
    static let receipt = Array("TEST ONLY: opaque bytes where the attestation's receipt stands".utf8)

    private func authenticatorData(_ flaw: AttestationFlaw?) -> AuthenticatorData {
        let environment: KeyEnvironment =
            flaw != .otherEnvironment
            ? self.environment : self.environment == .production ? .development : .production
        var data = AuthenticatorData(
            appID: flaw == .otherAppID ? appID + ".other" : appID, counter: flaw == .counterNotZero ? 1 : 0,
            credential: AuthenticatorData.credential(
                aaguid: AuthenticatorData.aaguid(environment), id: keyID.bytes, publicKey: publicKey)
        )
        data.extend(format, statements)
        return data
    }

    func leafRequest(nonce: [UInt8], at moment: Date, _ flaw: AttestationFlaw?) -> LeafRequest {
        LeafRequest(
            keyID: keyID.bytes,
            publicKey: flaw == .leafKeyOfOtherDevice ? P256.Signing.PrivateKey().publicKey : key.publicKey,
            appID: appID, systemVersion: systemVersion, nonce: nonce,
            notBefore: LeafRequest.notBefore(issuedAt: moment)
        )
    }
}
