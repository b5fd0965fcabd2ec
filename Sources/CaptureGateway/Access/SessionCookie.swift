import CaptureModel
import HTTPTypes

/// The cookie of a session: 256 random bits in hexadecimal digits.
struct SessionCookie: Sendable {
    /// The cookie's name, with a prefix that makes browsers take it only from this very host and over TLS.
    ///
    /// RFC 6265bis section 4.1.3.2. A loopback name has neither other hosts nor TLS.
    static func name(isLoopback: Bool) -> String { isLoopback ? "capture_session" : "__Host-capture_session" }

    /// The cookie's value.
    let secret: String
    /// Whether the gateway was asked for by a loopback name.
    private let isLoopback: Bool

    /// Makes a new one.
    /// - Parameter authority: The host by which the gateway was addressed.
    init(for authority: String?, random: RandomSource) {
        secret = random.hex(words: 4)
        isLoopback = Self.isLoopback(authority)
    }

    /// The one that a request carries (RFC 6265 section 5.4).
    init?(_ headers: HTTPFields, for authority: String?) {
        isLoopback = Self.isLoopback(authority)
        // Read as bytes: other cookies may hold anything.
        let fields = headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        let pairs = fields.map { field in field.drop { $0 == UInt8(ascii: " ") } }
        let prefix = "\(Self.name(isLoopback: isLoopback))="
        guard let pair = pairs.first(where: { $0.starts(with: prefix.utf8) }) else { return nil }
        let value = pair.dropFirst(prefix.utf8.count)
        guard value.count == 64 else { return nil }
        secret = String(decoding: value, as: UTF8.self)
    }

    /// The key under which the store knows the session.
    var key: SHA256Digest { .hash(Array("session|\(secret)".utf8)) }

    /// The token in the session's forms, derived from the secret without revealing it.
    var formToken: String { SHA256Digest.hash(Array("form|\(secret)".utf8)).hex }

    /// The field that sets it: read by no script, sent to no other site's requests, and over TLS only unless the
    /// gateway was asked for by a loopback name.
    func field(lifetime: Duration) -> String {
        Self.field(secret, lifetime.components.seconds, isLoopback: isLoopback)
    }

    /// The field that takes it away.
    static func removal(for authority: String?) -> String { field("", 0, isLoopback: isLoopback(authority)) }

    private static func field(_ value: String, _ seconds: Int64, isLoopback: Bool) -> String {
        "\(name(isLoopback: isLoopback))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isLoopback ? "" : "; Secure")
    }

    /// Whether a request's authority is this very machine, with or without a port.
    static func isLoopback(_ authority: String?) -> Bool {
        guard let authority = authority?.utf8 else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains { name in
            guard authority.starts(with: name.utf8) else { return false }
            let port = authority.dropFirst(name.utf8.count)
            return port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(\.isDecimalDigit)
        }
    }
}
