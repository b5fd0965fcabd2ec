import AppAttest
import Crypto
import Foundation
import SwiftASN1
import X509

/// Looks behind the certificates: each input is certified anew, so that it reaches what reads leaves and keys.
///
/// The first byte says how many extensions of the leaf follow, each as one byte that names it, one that counts its
/// bytes, and these bytes; what is left are the authenticator data. The nonce is the right one unless
/// it is among the extensions.
func fuzzCertified(_ input: [UInt8]) throws(BrokenProperty) {
    guard let forge = Forge.shared else { throw BrokenProperty(description: "the forge has its certificates") }
    var reader = ByteReader(rest: input[...])
    var extensions: [Certificate.Extension] = []
    for _ in 0..<(reader.byte() & 3) {
        let oid = Forge.extensions[Int(reader.byte()) % Forge.extensions.count]
        let value = reader.bytes(Int(reader.byte()))
        guard !extensions.contains(where: { $0.oid == oid }) else { return }
        extensions.append(.init(oid: oid, critical: false, value: value))
    }
    let data = Array(reader.rest)
    guard let attestation = forge.attestation(data, extensions) else { return }
    func verified(_ verifier: AttestationVerifier) -> VerifiedAttestation? {
        try? verifier.verify(
            attestation: attestation, keyID: forge.keyID, clientDataHash: Forge.clientDataHash, at: Forge.moment)
    }
    guard let taken = verified(forge.lenient) else {
        try property(verified(forge.strict) == nil, "a stricter policy takes no more")
        return
    }
    try property(taken.publicKey == forge.publicKey && taken.keyID == forge.keyID, "the key is the certified one")
    try property(taken.counter == 0, "a fresh key has the counter 0")
    try property(data.starts(with: taken.appID.rpIDHash), "the app is the one of the authenticator data")
    let texts = [taken.osVersion, taken.extensions?.bundleVersion].compactMap(\.self)
    try property(texts.allSatisfy { !$0.utf8.contains(0) }, "texts can be stored")
    let claimed = UnverifiedAttestation.publicKey(in: attestation, keyID: forge.keyID)
    try property(claimed == forge.publicKey, "what is verified can be read unverified")
    if verified(forge.strict) != nil {
        try property(taken.extensions?.validationCategory.map { $0 == 4 } ?? true, "the category is the policy's")
    }
}

/// Takes bytes from the front; zero when there are none.
private struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
