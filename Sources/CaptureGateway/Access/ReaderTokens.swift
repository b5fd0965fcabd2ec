import CaptureModel
import HTTPTypes

/// Knows bearer tokens by their digests only.
struct ReaderTokens: Sendable {
    let readers: [SHA256Digest]
    /// The tokens of servers, which come without a session.
    let evidenceReaders: [SHA256Digest]
    let operators: [SHA256Digest]

    /// The reader who has a token; compares all digests whatever they are, in constant time.
    func reader(bearing token: String) -> Reader? {
        reader(of: .hash(Array(token.utf8)))
    }

    /// The reader whose token has a digest.
    func reader(of digest: SHA256Digest) -> Reader? {
        let isOperator = Self.contains(operators, digest)
        let isEvidenceReader = Self.contains(evidenceReaders, digest)
        let isReader = Self.contains(readers, digest)
        return isOperator ? .operatorToken : isEvidenceReader ? .evidenceToken : isReader ? .readToken : nil
    }

    /// The token of an `Authorization` field (RFC 6750 section 2.1), behind any number of blanks (RFC 9110 section
    /// 11.4).
    static func token(in headers: HTTPFields) -> String? {
        guard let field = headers[.authorization] else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }

    /// Whether two texts are the same, in a time that tells nothing of where they differ.
    static func isSame(_ left: String, _ right: String) -> Bool {
        contains([.hash(Array(left.utf8))], .hash(Array(right.utf8)))
    }

    private static func contains(_ digests: [SHA256Digest], _ digest: SHA256Digest) -> Bool {
        var found: UInt8 = 0
        for other in digests {
            var difference: UInt8 = 0
            for (left, right) in zip(other.bytes, digest.bytes) { difference |= left ^ right }
            // 1 when the difference is 0, without a branch on it.
            found |= UInt8(truncatingIfNeeded: (UInt16(difference) &- 1) >> 8) & 1
        }
        return found == 1
    }
}
