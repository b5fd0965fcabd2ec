import ArgumentParser
import Testing

@testable import capturectl

@Suite("A token")
struct TokenOptionTests {
    @Test(arguments: ["0123\r", "0123\n", "01 23", "\u{7F}", "tökén"])
    func `a token that no header carries is bad usage, and is not repeated`(token: String) throws {
        let option = try TokenOption.parse(["--token", token])
        let error = #expect(throws: ValidationError.self) { try option.requireCarried() }
        #expect(error?.message == "--token takes visible ASCII characters only, and no end of a line")
    }

    @Test func `a token of visible characters is taken`() throws {
        #expect(try TokenOption.parse(["--token", "0aF~!"]).value == "0aF~!")
    }
}
