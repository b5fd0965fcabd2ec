import HTML
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Names at the login` {
    @Test(arguments: [
        ("\u{202E}ecila", "ecila"), ("a\u{200B}l\u{2066}ice\u{2069}", "alice"), ("\u{FEFF}alice\u{2028}", "alice"),
        ("  Zoë 漢字 \u{1F98A} ", "Zoë 漢字 \u{1F98A}"), ("Alice\u{7}\n <b>", "Alice <b>"), ("\u{3164}a\u{2800}", "a"),
        (String(repeating: "a", count: 64) + "\u{200B}", String(repeating: "a", count: 64)),
    ]) func `names at the login are what can be seen of them`(text: String, name: String) {
        let visible = LoginName.visible(text)
        #expect(visible.map { Array($0.unicodeScalars) } == Array(name.unicodeScalars))
    }

    @Test(arguments: [
        "", "   ", "\u{200B}", "\u{202E}\u{2069}", "\u{3164}", "\u{2800}", "\u{A0}\u{3000}",
        String(repeating: "a", count: 65),
    ]) func `names at the login are not taken when nothing can be seen, or too much`(text: String) async throws {
        #expect(LoginName.visible(text) == nil)
        let sessions = MemorySessions()
        try await GatewayFixture().withOperators(sessions: sessions).run { gateway in
            let answer = try await DashboardLogin.ask(
                .POST, "\(gateway.url)/dashboard/login",
                form: [("token", GatewayFixture.operatorToken), ("name", text)])
            #expect(answer.status == 403 && answer.text.contains("Give a name that can be read"))
            #expect(answer.headers.first(name: "Set-Cookie") == nil)
            // Nobody has to type it once more to make it shorter.
            let field = try #require(answer.text.firstMatch(of: /<input [^>]*id="name"[^>]*>/)).0
            #expect(text.utf8.contains { $0 >= 0x80 } || field.contains("value=\"\(text)\""), "\(field)")
        }
        #expect(sessions.keys.isEmpty)
    }

    /// A password manager keeps the field before the password as the name that belongs to it.
    @Test func `names at the login are asked for before the token`() {
        let text = LoginPage(isOpen: true).markup.text
        #expect(text.contains(/id="name"[^>]* autocomplete="username".*id="token"/))
        #expect(!text.contains(/id="token".*id="name"/))
    }
}
