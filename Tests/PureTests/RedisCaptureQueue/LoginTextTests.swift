import CaptureModel
import CaptureQueue
import Testing

@testable import RedisCaptureQueue

@Suite struct `A login as Redis has it` {
    private static let end = Timestamp(millisecondsSince1970: 1_780_000_028_800)

    @Test(arguments: ["alice", "alice a", "\u{301}alice", "\u{301}", "\u{200D}x", " x", "👩🏽 a", "1 2 3"])
    func `a login as Redis has it is read as it was written, whatever its name begins with`(name: String) {
        let session = LoginSession(proof: SHA256Digest.hash([1]).bytes, end: Self.end, name: name)
        let read = LoginSession(text: session.text)
        #expect(read == session && read.map { Array($0.name.utf8) } == Array(name.utf8))
    }

    /// As somebody may have written it by hand, or a gateway of another release.
    @Test(arguments: [
        "", "alice", "\(SHA256Digest.hash([1]).hex)", "00 alice", " \(SHA256Digest.hash([1]).hex)",
        "\(SHA256Digest.hash([1]).hex) alice", "\(SHA256Digest.hash([1]).hex) alice a", "0g 1 alice", "00 1",
    ])
    func `a login as Redis has it is no other text`(text: String) {
        #expect(LoginSession(text: text) == nil)
    }
}
