import CaptureModel
import CaptureStore
import Testing

@Suite("A filter of captures")
struct CaptureFilterTests {
    private func filter(
        _ verdicts: Set<Verdict>, includesOpen: Bool, _ reasons: [Reason] = [], _ confidence: Confidence? = nil
    ) -> CaptureFilter {
        var filter = CaptureFilter()
        filter.verdicts = verdicts
        filter.includesOpen = includesOpen
        filter.reasons = reasons
        filter.confidence = confidence
        return filter
    }

    @Test func `a filter of captures means nothing where its parts exclude each other`() {
        let filters = [
            filter([], includesOpen: true, [.counterReplay]), filter([], includesOpen: true, [], .high),
            filter([.verified], includesOpen: false, [.counterReplay]),
            filter([.rejected], includesOpen: false, [], .low),
            filter([.verified, .rejected], includesOpen: true, [.counterReplay], .low),
            filter([], includesOpen: false),
        ]
        for filter in filters { #expect(filter.meansNothing, "\(filter)") }
    }

    @Test func `a filter of captures means something where one kind of captures is left`() {
        let filters = [
            CaptureFilter(), filter([], includesOpen: true), filter([.verified], includesOpen: false, [], .medium),
            filter([.rejected], includesOpen: true, [.counterReplay]),
            filter([.verified], includesOpen: true, [], .low),
        ]
        for filter in filters { #expect(!filter.meansNothing, "\(filter)") }
    }
}
