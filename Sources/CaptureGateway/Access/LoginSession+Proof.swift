import CaptureModel
import CaptureQueue
import Crypto

/// What keeps a login from being worth anything to whoever reads or writes the store.
///
/// The proof is HMAC-SHA256 (RFC 2104) under the token's digest, which the configuration alone has, over all that the
/// store keeps of the session and the key under which it does. So nobody else can make a session, prolong one, give it
/// another name, or copy it to the key of a cookie of their own.
extension LoginSession {
    /// Begins a session with a token.
    /// - Parameters:
    ///   - token: The token's digest.
    ///   - key: The key under which the store keeps it.
    init(name: String, until end: Timestamp, under key: SHA256Digest, by token: SHA256Digest) {
        let code = HMAC<SHA256>.authenticationCode(
            for: Self.proven(key, end, name), using: SymmetricKey(data: token.bytes))
        self.init(proof: Array(code), end: end, name: name)
    }

    /// Whether it was begun with a token, under this key; compares in constant time.
    func isProven(under key: SHA256Digest, by token: SHA256Digest) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            proof, authenticating: Self.proven(key, end, name), using: SymmetricKey(data: token.bytes))
    }

    /// What the proof is over: gateways of all releases have to agree on it.
    private static func proven(_ key: SHA256Digest, _ end: Timestamp, _ name: String) -> [UInt8] {
        Array("session|\(key.hex)|\(end.millisecondsSince1970)|\(name)".utf8)
    }
}
