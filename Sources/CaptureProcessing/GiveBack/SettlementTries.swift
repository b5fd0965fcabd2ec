import CaptureQueue

/// The settlements of a batch from the first try to the last: those without an answer, and what became of the others.
struct SettlementTries: Sendable {
    /// What is still to be settled.
    private(set) var open: [LaneSettlement]
    /// What was done.
    private(set) var settled: [LaneSettlement] = []
    /// What another worker had taken over by then.
    private(set) var fenced: [LaneSettlement] = []
    /// What a later try found fenced: an earlier one may have done it, and its answer was lost.
    private(set) var doubtful: [LaneSettlement] = []
    /// What the queue refused for good, with the fault.
    private(set) var failed: [(settlement: LaneSettlement, fault: String)] = []
    private var count = 0

    init(_ settlements: [LaneSettlement]) {
        open = settlements
    }

    /// Notes that a try begins, which may end without an answer; returns what it is to settle.
    mutating func begin() -> [LaneSettlement] {
        count += 1
        return open
    }

    /// Sorts a try's answers; returns the fault after which those that are open now are to be tried again.
    mutating func note(_ outcomes: [SettleOutcome]) -> QueueError? {
        var transient: QueueError?
        let asked = open
        open = []
        for (settlement, outcome) in zip(asked, outcomes) {
            switch outcome {
            case .settled: settled.append(settlement)
            case .fenced where count == 1: fenced.append(settlement)
            case .fenced: doubtful.append(settlement)
            case .mismatch: failed.append((settlement, "other captures are at the head of the lane"))
            case .failed(let fault) where fault.isTransient:
                open.append(settlement)
                transient = transient ?? fault
            case .failed(let fault): failed.append((settlement, fault.description))
            }
        }
        return transient
    }

    /// Notes that the whole call was refused, so that what is open is not tried again.
    mutating func fail(for fault: String) {
        failed += open.map { ($0, fault) }
        open = []
    }
}
