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
        var leaf = try authority.mint(leafRequest(nonce: nonce, at: moment, flaw))
        // The last byte is the end of s in the signature's DER.
        if flaw == .leafSignature { leaf[leaf.count - 1] ^= 1 }
        let receipt =
            if let receipts {
                try receipts.sign(receiptContent(certificate: leaf, clientDataHash: clientDataHash, at: moment))
            } else {
                Self.receipt
            }
        let chain = try certificates(leaf: leaf, authority, flaw)
        let certificates = CBORValue.array(chain.map(CBORValue.bytes))
        let object = CBORValue([
            "fmt": .text(flaw == .format ? "none" : "apple-appattest"),
            "attStmt": flaw == .receiptMissing
                ? CBORValue(["x5c": certificates])
                : CBORValue(["x5c": certificates, "receipt": .bytes(receipt)]),
            "authData": .bytes(data),
        ]).encode()
        return switch flaw {
        case .trailingByte: object + [0]
        case .truncated: Array(object.dropLast())
        default: object
        }
    }

    /// Takes the place of Apple's signed receipt.
    static let receipt = Array("TEST ONLY: opaque bytes where the attestation's receipt stands".utf8)

    private func authenticatorData(_ flaw: AttestationFlaw?) -> AuthenticatorData {
        let other = P256.Signing.PrivateKey().publicKey
        let otherKey = Array(other.x963Representation)
        let environment: KeyEnvironment =
            flaw != .otherEnvironment
            ? self.environment : self.environment == .production ? .development : .production
        var aaguid = AuthenticatorData.aaguid(environment)
        if flaw == .unknownAAGUID { aaguid[15] ^= 1 }
        var credential = AuthenticatorData.credential(
            aaguid: aaguid,
            id: flaw == .credentialIDOfOtherDevice ? KeyID(publicKey: otherKey).bytes : keyID.bytes,
            idLength: flaw == .credentialIDLength ? 65_535 : 32,
            publicKey: flaw == .publicKeyOfOtherDevice ? otherKey : publicKey
        )
        if flaw == .publicKeyTruncated { credential.removeLast(8) }
        var data = AuthenticatorData(
            appID: flaw == .otherAppID ? appID + ".other" : appID, counter: flaw == .counterNotZero ? 1 : 0,
            credential: credential
        )
        data.extend(flaw == .publicKeyTruncated ? .plain : format, statements)
        switch flaw {
        case .attestedDataFlagClear: data.flags &= ~AuthenticatorData.attestedFlag
        case .extensionsMissing:
            data.flags |= AuthenticatorData.extensionsFlag
            data.extensions = []
        case .extensionsNotAMap: data.extensions = CBORValue.array([.init(1)]).encode()
        case .extensionsTrailingByte:
            if data.extensions.isEmpty { data.extend(.extensionsFlagged, statements) }
            data.extensions.append(0)
        default: break
        }
        return data
    }

    func leafRequest(nonce: [UInt8], at moment: Date, _ flaw: AttestationFlaw?) -> LeafRequest {
        var request = LeafRequest(
            keyID: keyID.bytes, publicKey: key.publicKey, appID: appID, systemVersion: systemVersion,
            nonce: nonce, notBefore: LeafRequest.notBefore(issuedAt: moment)
        )
        switch flaw {
        case .leafIsAuthority: request.isAuthority = true
        case .leafSignedByRoot: request.signedByRoot = true
        case .leafKeyOfOtherDevice: request.publicKey = P256.Signing.PrivateKey().publicKey
        case .leafExpired: request.notBefore = moment.addingTimeInterval(-LeafRequest.validity - 60)
        case .leafNotYetValid: request.notBefore = moment.addingTimeInterval(60)
        case .nonceMissing: request.nonceForm = .missing
        case .nonceBare: request.nonceForm = .bare
        case .nonceBehindJunk: request.nonceForm = .behindJunk
        default: break
        }
        return request
    }

    private func certificates(
        leaf: [UInt8], _ authority: TestCertificateAuthority, _ flaw: AttestationFlaw?
    ) throws(SimulatorError) -> [[UInt8]] {
        let intermediate = try authority.intermediateDER
        return switch flaw {
        case .intermediateMissing: [leaf]
        case .rootIncluded: [leaf, intermediate, try authority.rootDER]
        case .chainReversed: [intermediate, leaf]
        default: [leaf, intermediate]
        }
    }
}
