import CBOR
package import CaptureModel
package import Crypto
import Synchronization

/// A device without App Attest: it signs captures in the form of assertions, with a key of the app's own.
///
/// The objects have the form of Apple's assertions; the signature over the nonce is ECDSA (DER) or Ed25519 (64 bytes).
package final class SoftwareDevice: Sendable {
    /// A key of either kind.
    package enum Key: Sendable {
        /// ECDSA over P-256.
        case p256(P256.Signing.PrivateKey)
        /// Ed25519.
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    /// The app that it claims to be.
    package let appID: String
    private let key: Key
    private let counter = Mutex<UInt32>(0)

    /// Makes a device with a key.
    package init(appID: String, key: Key) {
        self.appID = appID
        self.key = key
    }

    /// The name of its kind of key in a registration.
    package var algorithm: Device.KeyAlgorithm {
        switch key {
        case .p256: .p256
        case .ed25519: .ed25519
        }
    }

    /// X9.63, 65 bytes, or 32 raw ones.
    package var publicKey: [UInt8] {
        switch key {
        case .p256(let key): Array(key.publicKey.x963Representation)
        case .ed25519(let key): Array(key.publicKey.rawRepresentation)
        }
    }

    /// Signs a message, of a registration or a request.
    /// - Throws: `SIGNATURE`.
    package func sign(_ message: [UInt8]) throws(SimulatorError) -> [UInt8] {
        do {
            return switch key {
            case .p256(let key): Array(try key.signature(for: message).derRepresentation)
            case .ed25519(let key): Array(try key.signature(for: message))
            }
        } catch {
            throw SimulatorError(.signature, "the key cannot sign")
        }
    }

    /// Signs a clientDataHash with the next counter.
    /// - Throws: `SIGNATURE`.
    package func assertion(clientDataHash: [UInt8]) throws(SimulatorError) -> [UInt8] {
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        let data = AuthenticatorData(appID: appID, counter: number).bytes
        let signature = try sign(Array(SHA256.hash(data: data + clientDataHash)))
        return CBORValue(["signature": .bytes(signature), "authenticatorData": .bytes(data)]).encode()
    }
}
