@testable import CaptureProcessing
import TestSupport
import Testing

@Suite("What the queue refuses a worker")
struct RefusalLogTests {
    @Test
    func `a refusal by the queue is told once when it begins and once when it is over, however often it is tried`() {
        let recorder = LogRecorder()
        let log = RefusalLog("claiming lanes", logger: recorder.logger)
        let refused = Patience.Outcome<Int>.fault(Patience.Fault("NOPERM"))
        for outcome in [.done(1), refused, refused, .away, refused, .done(2), .done(3), refused] { log.note(outcome) }
        #expect(
            recorder.lines == [
                "error claiming lanes is refused", "notice claiming lanes goes on", "error claiming lanes is refused",
            ])
    }
}
