import CBOR

/// The keys of assertions and attestation objects that verification ignores, since no signature covers them.
///
/// At most ``countMax`` keys of an object are listed, each cut to ``lengthMax`` characters; a key that is not text is
/// `?`.
package enum UnsignedKeys {
    /// More than anybody needs; real objects have the receipt and nothing else.
    static let countMax = 64
    /// The longest name that is listed, in characters.
    static let lengthMax = 128

    /// The unsigned keys of an assertion; empty when it cannot be read.
    package static func ofAssertion(_ bytes: [UInt8]) -> [String] {
        let limits = AssertionVerifier.Limits()
        guard bytes.count <= limits.assertionBytesMax, let object = try? CBORValue.decode(bytes, limits: limits.cbor)
        else { return [] }
        return bounded(names(object, except: ["signature", "authenticatorData"]))
    }

    /// The unsigned keys of an attestation object and of its statement; empty when it cannot be read.
    ///
    /// The receipt is one of them: Apple signs its own content, and nobody signs that it belongs to this attestation.
    package static func ofAttestation(_ bytes: [UInt8]) -> [String] {
        guard let object = try? AttestationObject.decode(bytes, limits: AttestationPolicy.Limits()) else { return [] }
        let statement = object["attStmt"].map { names($0, except: ["x5c"]) } ?? []
        return bounded(names(object, except: ["fmt", "attStmt", "authData"]) + statement.map { "attStmt.\($0)" })
    }

    private static func names(_ object: CBORValue, except known: [String]) -> [String] {
        (object.map ?? []).compactMap { entry in
            guard let name = entry.key.text else { return "?" }
            return known.contains { $0.utf8.elementsEqual(name.utf8) } ? nil : name
        }
    }

    private static func bounded(_ names: [String]) -> [String] {
        names.prefix(countMax).map { String($0.prefix(lengthMax)) }
    }
}
