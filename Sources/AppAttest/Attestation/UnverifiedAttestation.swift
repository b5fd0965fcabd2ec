import CBOR
import Crypto

/// Reads an unverified attestation, for registrations that go on without proof.
public enum UnverifiedAttestation {
    /// The public key (X9.63) that an attestation carries, if the key id is that key's.
    ///
    /// This proves nothing: anybody can write such an object. It only says which key later assertions must be signed
    /// with. Never throws and never traps; anything malformed is `nil`.
    public static func publicKey(in attestation: [UInt8], keyID: [UInt8]) -> [UInt8]? {
        guard let object = try? AttestationObject.decode(attestation, limits: AttestationPolicy.Limits()),
            let bytes = object["authData"]?.bytes,
            let credential = (try? AuthenticatorData(bytes, isAttestation: true))?.credential
        else { return nil }
        let x963 = credential.publicKey.x963
        guard SHA256.hash(data: x963).elementsEqual(keyID),
            (try? P256.Signing.PublicKey(x963Representation: x963)) != nil
        else { return nil }
        return x963
    }
}
