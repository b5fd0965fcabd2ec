import CaptureModel
import CaptureOperations
import CaptureStore
import Testing

@Suite("Since when and by whom the queue is paused")
struct NotedPauseTests {
    fileprivate static let earlier = Timestamp(microsecondsSince1970: 1_790_000_000_000_001)
    fileprivate static let later = Timestamp(microsecondsSince1970: 1_790_000_900_000_001)

    @Test(
        arguments: [
            ([NotedPauseTests.later], "since 2026-09-21T14:28:20.000Z, by bob"),
            // One partition was paused before, and never resumed.
            ([NotedPauseTests.earlier, NotedPauseTests.later], "since 2026-09-21T14:28:20.000Z, by bob"),
            ([NotedPauseTests.earlier], "since 2026-09-21T14:13:20.000Z, by whom the audit does not say"),
        ] as [(Set<Timestamp>, String)])
    func `the audit says who has paused the queue only if it has that very pause`(kept: Set<Timestamp>, text: String) {
        let entry = AuditEntry(at: Self.later, actor: "bob", action: .queuePause, subject: "queue")
        #expect(NotedPause(kept: kept, trail: [entry])?.text == text)
    }

    @Test func `since when the queue is paused is known without the audit, too`() {
        let pause = NotedPause(kept: [Self.earlier], trail: nil)
        #expect(pause?.since == Self.earlier && pause?.actor == nil)
        #expect(pause?.text == "since 2026-09-21T14:13:20.000Z", "an audit that was not read says nothing")
    }

    @Test func `a pause that Redis has lost is none, although the audit has it`() {
        let entry = AuditEntry(at: Self.later, actor: "bob", action: .queuePause, subject: "queue")
        #expect(NotedPause(kept: [], trail: [entry]) == nil)
    }
}
