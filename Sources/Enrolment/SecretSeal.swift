import CaptureModel
import Crypto
import FoundationEssentials

/// Encrypts secrets for storage: ChaCha20-Poly1305 under keys that only the configuration has.
///
/// The purpose and the owner of a secret are additional data, so that a secret cannot be moved to another row. Stored
/// are nonce (12 bytes), ciphertext and tag (16 bytes). Several keys make a change of keys possible: the first one
/// seals, all of them open.
package struct SecretSeal: Sendable {
    /// The secret was sealed under another key or for something else, or was damaged.
    package struct Fault: Error, Equatable, Sendable {}

    /// The most keys in a file.
    private static let keysMax = 8
    private static let keyBytes = 32
    private static let info = Array("capture-enrolment at rest v1".utf8)
    private static let sessionInfo = Array("capture-enrolment session v1".utf8)

    private let keys: [SymmetricKey]
    /// The keys with which session ids are computed, one for each key of the file.
    let sessionKeys: [SymmetricKey]

    /// Reads a file of keys: one on each line, 32 bytes as base64; anything else is `nil`.
    package init?(keyFile text: String) {
        var keys: [SymmetricKey] = []
        var sessionKeys: [SymmetricKey] = []
        for line in text.split(whereSeparator: \.isNewline) {
            guard let data = Data(base64Encoded: String(line)), data.count == Self.keyBytes else { return nil }
            // The file's key serves two purposes, so a key is derived from it for each.
            keys.append(Self.derive(from: data, Self.info))
            sessionKeys.append(Self.derive(from: data, Self.sessionInfo))
        }
        guard (1...Self.keysMax).contains(keys.count) else { return nil }
        self.keys = keys
        self.sessionKeys = sessionKeys
    }

    private static func derive(from key: Data, _ info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: key), info: info, outputByteCount: keyBytes)
    }

    /// Seals a secret for a purpose.
    package func seal(
        _ secret: [UInt8], for purpose: String, using generator: inout some RandomNumberGenerator
    ) throws(Fault) -> [UInt8] {
        do {
            let nonce = try ChaChaPoly.Nonce(data: generator.bytes(TransactionChannel.nonceBytes))
            let box = try ChaChaPoly.seal(secret, using: keys[0], nonce: nonce, authenticating: Array(purpose.utf8))
            return Array(box.combined)
        } catch {
            throw Fault()
        }
    }

    /// Opens a secret that was sealed for this purpose.
    package func open(_ sealed: [UInt8], for purpose: String) throws(Fault) -> [UInt8] {
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed) else { throw Fault() }
        for key in keys {
            if let secret = try? ChaChaPoly.open(box, using: key, authenticating: Array(purpose.utf8)) {
                return Array(secret)
            }
        }
        throw Fault()
    }
}
