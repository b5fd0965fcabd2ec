import HTTPTypes
import Testing

@testable import CaptureGateway

@Suite struct `The cookie of a session at the dashboard` {
    @Test(arguments: [
        ("127.0.0.1:8080", true), ("localhost", true), ("[::1]:80", true), ("captures.example", false),
        ("localhost.example", false), ("127.0.0.1.example:1", false), ("[::1]", true), ("[::1].example", false),
        ("localhost:1@example", false), ("[::1]:x", false),
    ]) func `a cookie goes over TLS only, unless the gateway is this very machine`(authority: String, isLoopback: Bool)
    {
        #expect(SessionCookie.isLoopback(authority) == isLoopback)
        let cookie = SessionCookie(for: authority, random: RandomSource { 7 })
        for field in [cookie.field(lifetime: .seconds(60)), SessionCookie.removal(for: authority)] {
            #expect(field.contains("; Secure") != isLoopback && field.hasPrefix("__Host-") != isLoopback)
            #expect(field.contains("; Path=/;") && !field.contains("Domain"))
        }
    }

    /// A host beside this one may set a cookie for both, which comes first where its path is longer.
    @Test func `a session that another host has set for this one is none`() {
        let (own, other) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
        let sent: HTTPFields = [.cookie: "capture_session=\(other); __Host-capture_session=\(own)"]
        #expect(SessionCookie(sent, for: "captures.example")?.secret == own)
        #expect(SessionCookie([.cookie: "capture_session=\(other)"], for: "captures.example") == nil)
    }
}
