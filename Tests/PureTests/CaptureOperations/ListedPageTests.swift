import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FoundationEssentials
import TestSupport
import Testing

/// A capture that is put off is among the oldest of its device, and lists begin with the newest.
@Suite("A page of captures in one state", .timeLimit(.minutes(1)))
struct ListedPageTests {
    /// The first page of captures that are put off, of which there is one behind others that wait.
    private func page(behind count: Int, limit: Int) async throws -> (page: ListedPage, putOff: CaptureID) {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        let capture = SubmissionMaker.submission(seed: 9)
        try await queue.putOffForChangedBytes(capture)
        let waiting = (0..<count).map { index in
            ArchivedCapture(
                id: CaptureID(UUID()), device: capture.device,
                receivedAt: Timestamp(millisecondsSince1970: Int64(1_000_000 - index)), result: nil)
        }
        let last = ArchivedCapture(
            id: capture.id, device: capture.device, receivedAt: Timestamp(millisecondsSince1970: 1), result: nil)
        let page = try await ListedPage.read(
            CaptureFilter(), after: nil, limit: limit, from: ListedArchive(captures: waiting + [last]),
            store: MemoryCaptureStore(time: time.source), queue: queue
        ) { $0.state == .retrying }
        return (page, capture.id)
    }

    @Test(arguments: [1, 50, 500])
    func `a page of captures in one state has those behind more than it holds`(limit: Int) async throws {
        let (page, putOff) = try await page(behind: 700, limit: limit)
        #expect(page.captures.map(\.id) == [putOff] && page.next == nil && page.cutAfter == nil)
    }

    @Test func `a page of captures in one state ends after so many, says so, and another follows`() async throws {
        let (page, _) = try await page(behind: ListedPage.looksMax, limit: 50)
        #expect(page.captures.isEmpty && page.next != nil && page.cutAfter == ListedPage.looksMax)
    }
}
