import CaptureModel
import CaptureOperations
import CaptureStore
import TestSupport
import Testing

@Suite("A line of a list of captures")
struct ListedCaptureTests {
    private let row: ArchivedCapture
    private let ledgerTime = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    init() throws {
        var maker = SubmissionMaker(seed: 5)
        let device = maker.device()
        let capture = maker.submission(of: device).id
        row = ArchivedCapture(id: capture, device: device, receivedAt: ledgerTime, result: nil)
    }

    @Test
    func `a line of a list of captures tells the ledger's moment, by which it was found, and the rest by the queue`() {
        var status = JobStatus(lost: row.id, of: row.device, receivedAt: ledgerTime.advanced(by: .seconds(-600)))
        (status.state, status.reason, status.fault) = (.retrying, .bundleCorrupt, "changed")
        (status.attempts, status.isRedriven) = (3, true)
        let line = ListedCapture(row, status)
        #expect(line.receivedAt == ledgerTime)
        #expect(line.state == .retrying && line.reason == .bundleCorrupt && line.fault == "changed")
        #expect(line.attempts == 3 && line.isRedriven && line.result == nil)
    }

    @Test func `a line of a list of captures is queued where the queue says nothing`() {
        let line = ListedCapture(row, nil)
        #expect(line.state == .queued && line.attempts == 0 && !line.isRedriven && line.receivedAt == ledgerTime)
    }
}
