import CaptureModel
import CaptureOperations
import CaptureQueue
import TestSupport
import Testing

@Suite("Dead letters counted by what they died of")
struct DeadLetterGroupsTests {
    private let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    @Test(arguments: [(.kept, 12), (.unseen, 12), (.notFound, 0), (.gone, 0)] as [(DeadLetter.Bytes, Int)])
    func `dead letters counted by what they died of have the bytes that may still be there`(
        known: DeadLetter.Bytes, bytes: Int
    ) {
        var maker = SubmissionMaker(seed: 5)
        let device = maker.device()
        var status = JobStatus(lost: maker.submission(of: device).id, of: device, receivedAt: moment)
        (status.state, status.reason, status.fault) = (.failed, .attemptsExhausted, "gone")
        let letter = DeadLetter(
            status: status, diedAt: moment, deliveries: 1, photoBytes: 8, depthBytes: 4, bundleStore: .redis,
            bytes: known)
        var groups = DeadLetterGroups()
        groups.add([letter])
        #expect(groups.sorted.map(\.bytes) == [bytes])
    }
}
