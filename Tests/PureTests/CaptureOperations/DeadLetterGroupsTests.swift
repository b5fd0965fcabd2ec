import CaptureModel
import CaptureOperations
import CaptureQueue
import TestSupport
import Testing

@Suite("Dead letters counted by what they died of")
struct DeadLetterGroupsTests {
    private let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    /// What a store of which the queue cannot tell was found without by a worker is gone.
    @Test(
        arguments: [
            (true, .bundleMissing, 12), (nil, .attemptsExhausted, 12), (nil, .bundleMissing, 0),
            (false, .attemptsExhausted, 0),
        ] as [(Bool?, Reason, Int)])
    func `have the bytes that may still be there`(hasBytes: Bool?, reason: Reason, bytes: Int) {
        var maker = SubmissionMaker(seed: 5)
        let device = maker.device()
        var status = JobStatus(lost: maker.submission(of: device).id, of: device, receivedAt: moment)
        (status.state, status.reason, status.fault) = (.failed, reason, "gone")
        let letter = DeadLetter(
            status: status, diedAt: moment, deliveries: 1, photoBytes: 8, depthBytes: 4, bundleStore: .redis,
            hasBytes: hasBytes)
        var groups = DeadLetterGroups()
        groups.add([letter])
        #expect(groups.sorted.map(\.bytes) == [bytes])
    }
}
