import TestSupport
import Testing

/// What authors of other gateways read: the README sends them to the head of `enqueue.lua`.
@Suite("The text of the hand-off's contract")
struct EnqueueContractTextTests {
    /// The lines about what the function answers, without the signs of a comment.
    private static func replies() throws -> [Substring] {
        let lines = try Repository.text("Sources/RedisCaptureQueue/Functions/enqueue.lua").split(separator: "\n")
        let first = try #require(lines.firstIndex { $0.hasPrefix("-- Reply ") })
        return lines[first...].prefix { $0 != "--" }.map { $0.dropFirst(9) }
    }

    /// The words of the README's table whose row begins with the given one.
    private static func words(ofRowWith first: String) throws -> [String] {
        let row = try Repository.text("README.md").split(separator: "\n").first { $0.hasPrefix("| `\(first)`") }
        let answers = try #require(row?.split(separator: "|").first)
        return answers.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }

    @Test func `each reply begins a line of its own`() throws {
        let replies = try Self.replies()
        let begun = replies.compactMap { $0.firstMatch(of: /^\{'([a-z]+)'/)?.output.1 }
        #expect(begun == ["accepted", "duplicate", "full"])
        #expect(replies.count { $0.contains("{'") } == begun.count)
    }

    @Test func `the answers that pass by themselves are those of the README`() throws {
        let text = try Self.replies().joined(separator: " ")
        let passing = try Self.words(ofRowWith: "OOM")
        #expect(passing.contains("TRYAGAIN"))
        for word in passing { #expect(text.contains(word), "\(word)") }
    }
}
