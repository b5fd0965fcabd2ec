import CaptureModel
import CaptureQueue
import Testing

@testable import RedisCaptureQueue

@Suite struct `A login as Redis has it` {
    @Test(arguments: ["alice", "alice a", "\u{301}alice", "\u{301}", "\u{200D}x", " x", "👩🏽 a"])
    func `a login as Redis has it is read as it was written, whatever its name begins with`(name: String) {
        let session = LoginSession(token: .hash([1]), name: name)
        let read = LoginSession(text: session.text)
        #expect(read == session && read.map { Array($0.name.utf8) } == Array(name.utf8))
    }

    @Test(arguments: ["", "alice", "\(SHA256Digest.hash([1]).hex)", "00 alice", " \(SHA256Digest.hash([1]).hex)"])
    func `a login as Redis has it is no other text`(text: String) {
        #expect(LoginSession(text: text) == nil)
    }
}
