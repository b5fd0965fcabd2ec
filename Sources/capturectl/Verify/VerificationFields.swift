/// The fields of a question, named as in the contract: flags of the command line, keys of a JSON line.
struct VerificationFields {
    /// A binary value: base64 text to be decoded, or the content of a file.
    enum Bytes {
        case base64(String)
        case content([UInt8])
    }

    var appIDs: [String] = []
    var roots: [String] = []
    /// The files of the command line's roots, for its faults.
    var rootFiles: [String] = []
    var bytes: [Name: Bytes] = [:]
    var environment: String?
    var at: String?
    var requireReceipt: Bool?
    var verifyReceipt: Bool?
    var receiptType: String?
    var token: String?
    var isFresh: Bool?
    var previousCounter: Int64?

    /// The binary values.
    enum Name: String, CaseIterable {
        case keyID = "key_id"
        case attestation
        case challenge
        case clientDataHash = "client_data_hash"
        case publicKey = "public_key"
        case assertion
        case clientData = "client_data"
        case receipt

        /// Whether the flag takes a file, named with a leading `@`.
        var mayBeFile: Bool {
            switch self {
            case .attestation, .challenge, .assertion, .clientData, .receipt: true
            case .keyID, .clientDataHash, .publicKey: false
            }
        }

        /// Whether a text is the value in hexadecimal, as answers about devices and provenance show it.
        ///
        /// As base64 it would decode without an error, to the wrong bytes.
        func isHexadecimal(_ text: String) -> Bool {
            let counts: Set<Int> =
                switch self {
                case .keyID, .clientDataHash: [64]
                // X9.63 and an Ed25519 key, each also as SubjectPublicKeyInfo.
                case .publicKey: [130, 182, 64, 88]
                case .attestation, .challenge, .assertion, .clientData, .receipt: []
                }
            return counts.contains(text.utf8.count)
                && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
    }

    /// Takes the roots of files.
    /// - Throws: `ValidationError` with the name of a file that cannot be read.
    mutating func readRoots(_ files: [String]) throws {
        roots = try files.map(FileArgument.text)
        rootFiles = files
    }

    /// The bytes of a required value.
    func required(_ name: Name) throws(VerificationFault) -> [UInt8] {
        guard let bytes = try optional(name) else { throw .missing(name.rawValue) }
        return bytes
    }

    /// The bytes of a value, if it was given.
    func optional(_ name: Name) throws(VerificationFault) -> [UInt8]? {
        switch bytes[name] {
        case nil: return nil
        case .content(let content): return content
        case .base64(let text):
            guard !name.isHexadecimal(text) else {
                throw .invalid(name.rawValue, "takes base64; this is hexadecimal")
            }
            guard let bytes = Base64Text.decode(text) else {
                let hint = name.mayBeFile ? "; @FILE reads a file" : ", which is all that it takes"
                throw .invalid(name.rawValue, "is not base64", hint: hint)
            }
            return bytes
        }
    }
}
