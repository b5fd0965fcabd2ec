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
        // Apple signs the nonce as a message: it is hashed a second time.
        let nonce = Array(SHA256.hash(data: data + clientDataHash))
        let signature = try Self.sign(nonce, with: flaw == .keyOfOtherDevice ? P256.Signing.PrivateKey() : key)
        return Array(signature.derRepresentation)
    }

    private static func object(
        signature: [UInt8], authenticatorData: [UInt8], _ flaw: AssertionFlaw?
    ) -> [UInt8] {
        let object = CBORValue([
            "signature": .bytes(signature), "authenticatorData": .bytes(authenticatorData),
        ]).encode()
        return switch flaw {
        case .trailingByte: object + [0]
        case .truncated: Array(object.dropLast())
        default: object
        }
    }
}
