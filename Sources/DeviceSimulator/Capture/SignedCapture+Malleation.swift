import CBOR
import Crypto

extension SignedCapture {
    /// The same capture with the other form of its signature: no new capture to a verifier that checks counters.
    /// - Throws: `SIGNATURE` if the assertion is not a good one of a simulated device.
    package func malleated() throws(SimulatorError) -> SignedCapture {
        guard let object = try? CBORValue.decode(assertion), let signature = object["signature"]?.bytes,
            let data = object["authenticatorData"]?.bytes,
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { throw SimulatorError(.signature, "the assertion has no signature to mirror") }
        var copy = self
        copy.assertion = CBORValue([
            "signature": .bytes(try Malleation.mirrored(parsed)), "authenticatorData": .bytes(data),
        ]).encode()
        return copy
    }
}
