import CMultiBufferP256
package import Crypto

/// A public key in the lanes' form: a point that swift-crypto has found on the curve.
package struct LaneKey: Sendable {
    /// x and y.
    let coordinates: [UInt8]

    /// Takes over a key.
    package init(_ key: P256.Signing.PublicKey) {
        coordinates = Array(key.rawRepresentation)
    }
}

/// The claim that a key signed a message with a given digest.
package struct SignatureClaim: Sendable {
    let key: LaneKey
    /// r and s, each of 32 bytes.
    let signature: [UInt8]
    let digest: SHA256.Digest

    /// Takes a signature that swift-crypto has parsed.
    package init(_ signature: P256.Signing.ECDSASignature, by key: LaneKey, of digest: SHA256.Digest) {
        self.key = key
        self.signature = Array(signature.rawRepresentation)
        self.digest = digest
    }

    /// The claim in C's form.
    var lane: cmb_p256_claim {
        var lane = cmb_p256_claim()
        unsafe withUnsafeMutableBytes(of: &lane.key) { unsafe $0.copyBytes(from: key.coordinates) }
        unsafe withUnsafeMutableBytes(of: &lane.signature) { unsafe $0.copyBytes(from: signature) }
        unsafe withUnsafeMutableBytes(of: &lane.hash) { bytes in
            unsafe digest.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
        }
        return lane
    }
}
