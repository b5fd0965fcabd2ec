import CaptureStore
import Testing

@testable import PostgresCaptureStore

@Suite("How much the archive reads at once")
struct ArchivePageTests {
    /// Cut to the page itself, every full page would be the last one.
    @Test func `the largest page has room for the one more that tells of others, and no page is larger`() {
        let most = PageLimit.itemsMax + 1
        #expect(ArchivePage(CaptureFilter(), after: nil, limit: most).limit == most)
        #expect(ArchivePage(CaptureFilter(), after: nil, limit: most + 1).limit == most)
        #expect(ArchivePage(CaptureFilter(), after: nil, limit: 0).limit == 1)
    }
}
