import CaptureModel
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Captures that were dealt with")
struct RememberedCapturesTests {
    @Test func `a capture is new once, and all are forgotten when there is no room for one more`() {
        var maker = SubmissionMaker(seed: 1)
        let captures = (0..<3).map { _ in maker.submission(of: maker.device()).id }
        let remembered = RememberedCaptures(max: 2)
        #expect(remembered.insert(captures[0]) && remembered.insert(captures[1]))
        #expect(!remembered.insert(captures[0]) && !remembered.insert(captures[1]))
        #expect(remembered.insert(captures[2]))
        #expect(captures.map(remembered.contains) == [false, false, true])
    }
}
