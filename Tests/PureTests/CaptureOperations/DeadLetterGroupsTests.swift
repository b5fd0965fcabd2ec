import CaptureModel
import CaptureOperations
import CaptureQueue
import TestSupport
import Testing

@Suite("Dead letters counted by what they died of", .timeLimit(.minutes(1)))
struct DeadLetterGroupsTests {
    /// A queue with these dead letters.
    private struct LetterQueue: ForwardingQueue {
        let memory = MemoryCaptureQueue(time: ManualTime().source)
        let letters: [DeadLetter]

        func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
            DeadLetterPage(letters: letters, next: nil)
        }
    }

    /// A queue with these dead letters, oldest first, page by page.
    private struct LongQueue: ForwardingQueue {
        let memory = MemoryCaptureQueue(time: ManualTime().source)
        let letters: [DeadLetter]

        func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
            let rest = letters.filter { letter in after.map { $0 < letter.position } ?? true }
            let page = Array(rest.prefix(limit))
            return DeadLetterPage(letters: page, next: page.count < rest.count ? page.last?.position : nil)
        }
        func deadLetterPlace(beforeNewest count: Int) async throws(QueueError) -> DeadLetter.Position? {
            letters.reversed().dropFirst(count).first?.position
        }
    }

    private let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    private func letter(
        _ maker: inout SubmissionMaker, fault: String, bytes: DeadLetter.Bytes = .kept
    ) -> DeadLetter {
        let device = maker.device()
        var status = JobStatus(lost: maker.submission(of: device).id, of: device, receivedAt: moment)
        (status.state, status.reason, status.fault) = (.failed, .attemptsExhausted, fault)
        return DeadLetter(
            status: status, diedAt: moment, deliveries: 1, photoBytes: 8, depthBytes: 4, bundleStore: .redis,
            bytes: bytes)
    }

    @Test(arguments: [(.kept, 12), (.unseen, 12), (.notFound, 0), (.gone, 0)] as [(DeadLetter.Bytes, Int)])
    func `dead letters counted by what they died of have the bytes that may still be there`(
        known: DeadLetter.Bytes, bytes: Int
    ) {
        var maker = SubmissionMaker(seed: 5)
        var groups = DeadLetterGroups()
        groups.add([letter(&maker, fault: "gone", bytes: known)])
        #expect(groups.sorted.map(\.bytes) == [bytes])
    }

    @Test func `the largest group of dead letters comes first, and equal ones by the bytes of their faults`() {
        var maker = SubmissionMaker(seed: 6)
        var groups = DeadLetterGroups()
        for fault in ["b", "a", "\u{E9}", "e\u{301}", "c", "c"] { groups.add([letter(&maker, fault: fault)]) }
        let faults = groups.sorted.map { Array($0.fault.utf8) }
        #expect(faults == ["c", "a", "b", "e\u{301}", "\u{E9}"].map { Array($0.utf8) })
    }

    @Test func `a survey begins with the oldest dead letters or ends with the newest, and says that there are more`()
        async throws
    {
        var maker = SubmissionMaker(seed: 8)
        let letters = (0...DeadLetterSurvey.lettersMax).map { number in
            var dead = letter(&maker, fault: number == DeadLetterSurvey.lettersMax ? "new" : "old")
            dead.diedAt = moment.advanced(by: .milliseconds(number))
            return dead
        }
        let oldest = try await DeadLetterSurvey.take(of: LongQueue(letters: letters))
        #expect(oldest.groups.map(\.fault) == ["old"] && oldest.isPartial && oldest.start == nil)
        let newest = try await DeadLetterSurvey.takeNewest(of: LongQueue(letters: letters))
        #expect(newest.groups.map(\.fault) == ["old", "new"] && newest.isPartial)
        #expect(newest.start == letters[0].position && newest.letters == Array(letters.dropFirst()))
        let all = try await DeadLetterSurvey.takeNewest(of: LongQueue(letters: Array(letters.dropFirst())))
        #expect(all.letters.count == DeadLetterSurvey.lettersMax && !all.isPartial && all.start == nil)
    }

    /// Whoever may hand captures off may write them: hashed as Swift texts they would take minutes.
    @Test func `dead letters whose faults are expensive to compare cost what their bytes cost`() async throws {
        var maker = SubmissionMaker(seed: 7)
        let marks = CostlyText.bytes(40_000)
        var letters: [DeadLetter] = []
        for number in 0..<300 { letters.append(letter(&maker, fault: "\(number / 2)\(marks)")) }
        let survey = try await DeadLetterSurvey.take(of: LetterQueue(letters: letters))
        #expect(survey.groups.count == 150 && survey.groups.allSatisfy { $0.letters.count == 2 })
        #expect(survey.letters.count == 300 && !survey.isPartial)
    }
}
