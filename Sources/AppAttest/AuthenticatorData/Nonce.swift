import Crypto

/// The nonce that Apple certifies and devices sign: SHA-256 over authenticator data and client data hash.
enum Nonce {
    static func digest(_ authenticatorData: [UInt8], _ clientDataHash: [UInt8]) -> SHA256.Digest {
        var hash = SHA256()
        hash.update(data: authenticatorData)
        hash.update(data: clientDataHash)
        return hash.finalize()
    }
}
