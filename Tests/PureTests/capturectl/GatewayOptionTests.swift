import ArgumentParser
import Testing

@testable import capturectl

@Suite("The address of a gateway")
struct GatewayOptionTests {
    /// TLS is the business of a proxy in front of the gateway: what users have begins with `https`.
    @Test func `help and refusal name the forms of an address, and each of them is taken`() throws {
        let refusal = GatewayOption.refusal(of: ["--gateway", "ftp://host"])
        // Lines are broken where the terminal ends.
        let help = GatewayOption.helpMessage().split { $0.isWhitespace }.joined(separator: " ")
        for form in ["http://host:port", "https://host", "http+unix://%2Fpath"] {
            #expect(refusal.contains(form) && help.contains(form))
            let address = form.replacing("port", with: "8080")
            #expect(try GatewayOption.parse(["--gateway", address]).address == address)
        }
    }
}
