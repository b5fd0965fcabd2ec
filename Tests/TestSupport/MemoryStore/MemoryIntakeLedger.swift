package import CaptureModel
package import CaptureStore

/// The ledger in memory, with the same answers as PostgreSQL's: for tests of gateways. Keeps nothing.
package actor MemoryIntakeLedger: IntakeLedger {
    private struct Row {
        var place: Int64
        var submission: CaptureSubmission
        var recordedAt: Timestamp
        var notedDeadAt: Timestamp?
        var claimedAt: Timestamp?
        var closedAt: Timestamp?

        var standing: IntakeStanding { closedAt != nil ? .closed : claimedAt != nil ? .claimed : .waiting }

        var entry: IntakeEntry {
            IntakeEntry(
                submission: submission, place: place, recordedAt: recordedAt, notedDeadAt: notedDeadAt,
                claimedAt: claimedAt)
        }
    }

    private let time: TimeSource
    private var rows: [CaptureID: Row] = [:]
    /// The captures that have results, whether they have rows or not.
    private var settled: Set<CaptureID> = []
    private var lastPlace: Int64 = 0
    private var isBusy = false
    /// When set, every call fails with it: a ledger that is away.
    private var fault: StoreError?
    /// When set, no row is passed to another capture.
    private var passingFault: StoreError?
    /// When set, no row is taken back.
    private var withdrawingFault: StoreError?
    /// When set, no row is reinstated.
    private var reinstatingFault: StoreError?
    /// The captures whose rows somebody keeps locked.
    private var locked: Set<CaptureID> = []
    /// How many groups were recorded.
    package private(set) var groups: [Int] = []

    /// Makes an empty ledger.
    package init(time: @escaping TimeSource) {
        self.time = time
    }

    /// Lets every call fail from now on, or none any more.
    package func fail(with fault: StoreError?) {
        self.fault = fault
    }

    /// Lets passing rows on fail from now on, or no more.
    package func fail(passing fault: StoreError?) {
        passingFault = fault
    }

    /// Lets taking rows back fail from now on, or no more.
    package func fail(withdrawing fault: StoreError?) {
        withdrawingFault = fault
    }

    /// Lets reinstating rows fail from now on, or no more.
    package func fail(reinstating fault: StoreError?) {
        reinstatingFault = fault
    }

    /// Lets these rows be locked from now on, and no others any more.
    package func lock(_ captures: Set<CaptureID>) {
        locked = captures
    }

    /// Closes rows, as the transaction does that writes their captures' results.
    package func close(_ captures: [CaptureID]) {
        settled.formUnion(captures)
        for capture in captures where rows[capture]?.closedAt == nil { rows[capture]?.closedAt = time() }
    }

    private func answer() throws(StoreError) {
        if let fault { throw fault }
    }

    private var open: [Row] { rows.values.filter { $0.closedAt == nil }.sorted { $0.place < $1.place } }

    /// Records uploads; tells for each under which id its bundle is accepted.
    package func record(
        _ submissions: [CaptureSubmission], lockWait: Duration?
    ) throws(StoreError) -> [IntakeOutcome] {
        try answer()
        groups.append(submissions.count)
        return submissions.map { submission in
            if let first = rows.values.first(where: { $0.submission.bundleDigest == submission.bundleDigest }) {
                let id = first.submission.id
                return id == submission.id ? .recorded : .earlier(id, first.standing)
            }
            // Under another digest: as a row that stands against it by its key.
            guard rows[submission.id] == nil else { return .contested }
            lastPlace += 1
            rows[submission.id] = Row(place: lastPlace, submission: submission, recordedAt: time())
            return .recorded
        }
    }

    /// The same: this ledger knows no capture by its result.
    package func record(
        byDigestAlone submissions: [CaptureSubmission], lockWait: Duration?
    ) throws(StoreError) -> [IntakeOutcome] {
        try record(submissions, lockWait: lockWait)
    }

    /// Takes an open row back that nobody has claimed; tells whether it did.
    package func withdraw(_ capture: CaptureID) throws(StoreError) -> Bool {
        if let withdrawingFault { throw withdrawingFault }
        try answer()
        guard rows[capture]?.standing == .waiting else { return false }
        rows[capture] = nil
        return true
    }

    /// Passes an open row to another capture, as one that nobody has claimed.
    package func passRow(
        of capture: CaptureID, to other: CaptureID, receivedAt: Timestamp
    ) throws(StoreError) -> Bool {
        try answer()
        if let passingFault { throw passingFault }
        guard var row = rows[capture], row.standing != .closed, rows[other] == nil, !settled.contains(other) else {
            return false
        }
        let received = min(row.submission.receivedAt ?? row.recordedAt, receivedAt)
        row.submission = row.submission.with(id: other).received(at: received)
        row.claimedAt = nil
        (rows[capture], rows[other]) = (nil, row)
        return true
    }

    /// Deletes an open row; tells what it was.
    package func discard(_ capture: CaptureID) throws(StoreError) -> IntakeEntry? {
        try answer()
        guard let row = rows[capture], row.closedAt == nil else { return nil }
        rows[capture] = nil
        return row.entry
    }

    /// Puts a row back as it was, or its times into the open row that its capture has by now.
    package func reinstate(_ row: IntakeEntry) throws(StoreError) {
        try answer()
        if let reinstatingFault { throw reinstatingFault }
        let submission = row.submission
        var given = Row(place: row.place, submission: submission, recordedAt: row.recordedAt)
        if let known = rows[submission.id] {
            guard known.closedAt == nil else { return }
            given = known
            given.submission = known.submission.received(at: submission.receivedAt)
            given.recordedAt = row.recordedAt
        } else if rows.values.contains(where: { $0.submission.bundleDigest == submission.bundleDigest }) {
            throw StoreError(.refused, "the bundle is another capture's by now")
        }
        if given.place == IntakeEntry.nextPlace {
            lastPlace += 1
            given.place = lastPlace
        }
        given.notedDeadAt = row.notedDeadAt ?? given.notedDeadAt
        given.claimedAt = row.claimedAt ?? given.claimedAt
        rows[submission.id] = given
    }

    /// The open rows after a place, in the order of acceptance.
    package func openIntake(
        after place: Int64, olderThan age: Duration, limit: Int
    ) throws(StoreError) -> [OpenIntake] {
        try answer()
        let now = time()
        let due = open.filter { row in
            let passed = now.since(row.recordedAt)
            return row.place > place && (age == .zero || passed >= age || passed < .seconds(-1))
        }
        return due.prefix(limit).map {
            OpenIntake(
                place: $0.place, capture: $0.submission.id, device: $0.submission.device, isDead: $0.entry.isDead)
        }
    }

    /// The place of the newest open row; 0 if there is none.
    package func newestPlace() throws(StoreError) -> Int64 {
        try answer()
        return open.last?.place ?? 0
    }

    /// Marks those of some captures whose rows are open and not locked, and returns everything on them.
    package func claim(_ captures: [CaptureID]) throws(StoreError) -> IntakeClaim {
        try answer()
        let free = captures.filter { !locked.contains($0) }
        close(free.filter(settled.contains))
        for capture in free where rows[capture]?.closedAt == nil { rows[capture]?.claimedAt = time() }
        let left = try entries(of: captures.filter(locked.contains))
        return IntakeClaim(entries: try entries(of: free), locked: Set(left.map(\.submission.id)))
    }

    /// Everything on those of some captures whose rows are open.
    package func entries(of captures: [CaptureID]) throws(StoreError) -> [IntakeEntry] {
        try answer()
        return open.map(\.entry).filter { captures.contains($0.submission.id) }
    }

    /// What is known of captures whether their rows are open or closed.
    package func accepted(_ captures: [CaptureID]) throws(StoreError) -> [CaptureID: AcceptedIntake] {
        try answer()
        return rows.filter { captures.contains($0.key) }.mapValues {
            AcceptedIntake(
                device: $0.submission.device, receivedAt: $0.submission.receivedAt ?? $0.recordedAt,
                isOpen: $0.closedAt == nil)
        }
    }

    /// Notes that captures were seen among the dead letters.
    package func noteDead(_ captures: [CaptureID]) throws(StoreError) {
        try answer()
        for row in open.map(\.entry) where captures.contains(row.submission.id) && !row.isDead {
            guard !locked.contains(row.submission.id) else { continue }
            rows[row.submission.id]?.notedDeadAt = time()
        }
    }

    /// Deletes rows that were closed longer ago than a time.
    package func purge(closedFor age: Duration, limit: Int) throws(StoreError) -> Int {
        try answer()
        let now = time()
        let old = rows.filter { row in row.value.closedAt.map { now.since($0) > age } ?? false }.keys.prefix(limit)
        for capture in old { rows[capture] = nil }
        return old.count
    }

    /// Runs a body while no other one runs.
    package func exclusively<Value: Sendable>(
        _ body: @Sendable () async -> Value
    ) async throws(StoreError) -> Value? {
        try answer()
        guard !isBusy else { return nil }
        isBusy = true
        defer { isBusy = false }
        return await body()
    }
}
