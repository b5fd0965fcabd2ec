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
        let filters: [(CaptureFilter, CaptureFilter.Contradiction)] = [
            (filter([], includesOpen: true, [.counterReplay]), .reason),
            (filter([], includesOpen: true, [], .high), .confidence),
            (filter([.verified], includesOpen: false, [.counterReplay]), .reason),
            (filter([.rejected], includesOpen: false, [], .low), .confidence),
            (filter([.verified, .rejected], includesOpen: true, [.counterReplay], .low), .reason),
            (filter([], includesOpen: false), .confidence),
        ]
        for (filter, what) in filters { #expect(filter.contradiction == what, "\(filter)") }
        var backwards = CaptureFilter()
        backwards.from = Timestamp(microsecondsSince1970: 7)
        backwards.before = backwards.from
        #expect(backwards.contradiction == .times)
    }

    @Test(arguments: Reason.allCases) func `a filter of captures finds the reasons of rejected ones`(reason: Reason) {
        let isFound = reason.isDecisive && !Reason.ofDeadLetters.contains(reason) && reason != .reasonUnknown
        let expected: CaptureFilter.Contradiction? = isFound ? nil : .reason
        #expect(filter([.rejected], includesOpen: true, [reason]).contradiction == expected)
    }

    @Test func `a filter of captures means something where one kind of captures is left`() {
        let filters = [
            CaptureFilter(), filter([], includesOpen: true), filter([.verified], includesOpen: false, [], .medium),
            filter([.rejected], includesOpen: true, [.counterReplay]),
            filter([.verified], includesOpen: true, [], .low),
        ]
        for filter in filters { #expect(filter.contradiction == nil, "\(filter)") }
    }
}
