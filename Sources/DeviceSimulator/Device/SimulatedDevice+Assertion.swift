import CBOR
import Crypto

extension SimulatedDevice {
    /// Signs a clientDataHash: an object as `DCAppAttestService.generateAssertion` returns it.
    /// - Parameters:
    ///   - clientDataHash: 32 bytes, normally the hash of the signed data.
    ///   - counter: The counter in the assertion; the hardware's next one by default.
    ///   - flaw: The intended flaw.
    /// - Throws: `SIGNATURE`.
    package func assertion(
        clientDataHash: [UInt8], counter: CounterChoice = .next, flaw: AssertionFlaw? = nil
    ) throws(SimulatorError) -> [UInt8] {
        let number =
            switch counter {
            case .next: nextCounter()
            case .exactly(let number): number
            }
        var data = AuthenticatorData(appID: flaw == .otherAppID ? appID + ".other" : appID, counter: number)
        data.extend(format, statements)
        var bytes = data.bytes
        switch flaw {
        case .authenticatorDataShort: bytes = Array(bytes.prefix(36))
        case .authenticatorDataJunk: bytes = Array(bytes.prefix(37)) + [0xFF]
        default: break
        }
        let signature = try signature(over: bytes, clientDataHash, flaw)
        if flaw == .counterEdited { bytes[36] &+= 1 }
        return Self.object(signature: signature, authenticatorData: bytes, flaw)
    }

    private func signature(
        over data: [UInt8], _ clientDataHash: [UInt8], _ flaw: AssertionFlaw?
    ) throws(SimulatorError) -> [UInt8] {
        let signedHash = flaw == .otherClientDataHash ? Array(SHA256.hash(data: clientDataHash)) : clientDataHash
        let preimage = data + signedHash
        // Apple signs the nonce as a message: it is hashed a second time.
        let message = flaw == .singleHash ? preimage : Array(SHA256.hash(data: preimage))
        let signer = flaw == .keyOfOtherDevice ? P256.Signing.PrivateKey() : key
        let signature = try Self.sign(message, with: signer)
        switch flaw {
        case .signatureEmpty: return []
        case .malleated: return try Malleation.mirrored(signature)
        default: return Array(signature.derRepresentation)
        }
    }

    private static func object(
        signature: [UInt8], authenticatorData: [UInt8], _ flaw: AssertionFlaw?
    ) -> [UInt8] {
        let data = CBORValue.bytes(authenticatorData)
        let value: CBORValue =
            switch flaw {
            case .signatureMissing: CBORValue(["authenticatorData": data])
            case .signatureAsText: CBORValue(["signature": .text("signature"), "authenticatorData": data])
            default: CBORValue(["signature": .bytes(signature), "authenticatorData": data])
            }
        let object = value.encode()
        return switch flaw {
        case .trailingByte: object + [0]
        case .truncated: Array(object.dropLast())
        default: object
        }
    }
}
