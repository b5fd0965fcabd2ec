import Testing

@testable import capturectl

@Suite("A subcommand that there is not")
struct StrangeWordTests {
    @Test(arguments: [
        (["foo", "--help"], "foo"), (["help", "foo"], "foo"), (["dead", "foo", "-h"], "foo"),
        (["help", "dead", "foo"], "foo"), (["help", "simulate", "foo"], "foo"),
    ])
    func `a subcommand that there is not is found where help is asked for`(words: [String], word: String) {
        #expect(Capturectl.strangeWord(in: words) == word)
    }

    @Test(arguments: [
        [], ["--help"], ["help"], ["help", "dead"], ["dead", "retry", "--help"], ["dead", "show", "anything", "-h"],
        ["simulate", "--gateway", "x", "--help"], ["--generate-completion-script", "bash"], ["--version"],
    ])
    func `a subcommand that there is not is no word that there is, nor what belongs to a command`(words: [String]) {
        #expect(Capturectl.strangeWord(in: words) == nil)
    }
}
