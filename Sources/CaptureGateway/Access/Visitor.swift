import CaptureModel
import CaptureQueue
import HTTPTypes

/// Somebody at the dashboard.
struct Visitor: Sendable, Equatable {
    /// What the person called himself at the login.
    let name: String
    /// Whether the token is an operator's.
    let isOperator: Bool
    /// The token by its digest.
    let token: SHA256Digest
    /// What a form of this session must carry, so that no other site's form is taken for it.
    let formToken: String

    /// Who it is in the audit: the name is the person's own, the token's digest is not.
    var actor: String { "\(name) (dashboard, token \(token.hex.prefix(8)))" }
}

/// The cookie of a session: 256 random bits in hexadecimal digits.
struct SessionCookie: Sendable {
    static let name = "capture_session"

    /// What the cookie says.
    let secret: String

    /// Makes a new one.
    init(random: @Sendable () -> UInt64) {
        secret = RequestIdentity.made(random) + RequestIdentity.made(random)
    }

    /// The one that a request carries (RFC 6265 section 5.4).
    init?(_ headers: HTTPFields) {
        // By bytes: those of others may hold anything.
        let fields = headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        let pairs = fields.map { field in field.drop { $0 == UInt8(ascii: " ") } }
        let prefix = "\(Self.name)="
        guard let pair = pairs.first(where: { $0.starts(with: prefix.utf8) }) else { return nil }
        let value = pair.dropFirst(prefix.utf8.count)
        guard value.count == 64 else { return nil }
        secret = String(decoding: value, as: UTF8.self)
    }

    /// Under what the store knows the session.
    var key: SHA256Digest { .hash(Array("session|\(secret)".utf8)) }

    /// What forms of the session carry: told by the secret, and telling nothing of it.
    var formToken: String { SHA256Digest.hash(Array("form|\(secret)".utf8)).hex }

    /// The field that sets it: read by no script, sent to no other site's requests, and over TLS only unless the
    /// gateway was asked for by a loopback name.
    func field(lifetime: Duration, isLoopback: Bool) -> String {
        "\(Self.name)=\(secret); Path=/; Max-Age=\(lifetime.components.seconds); HttpOnly; SameSite=Strict"
            + (isLoopback ? "" : "; Secure")
    }

    /// The field that takes it away.
    static let removal = "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"

    /// Whether a request's authority is this very machine.
    static func isLoopback(_ authority: String?) -> Bool {
        guard let authority else { return false }
        if authority.hasPrefix("[") { return authority.hasPrefix("[::1]") }
        let host = authority.split(separator: ":").first ?? ""
        return host == "localhost" || host == "127.0.0.1"
    }
}
