import CaptureModel
import CaptureQueue
import CaptureSettings
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Looks for open rows of the ledger whose captures have no result and are not in the queue, so that none will come,
/// and for captures in the queue that have no row, so that they are lost if the queue loses them.
struct LedgerCheck: Sendable {
    let session: OperatorSession

    /// The youngest age that counts: a row is open before its capture is queued.
    private static let ageMin = Duration.seconds(60)
    private static let pageSize = 500

    /// Checks every open row, and then what waits and the dead letters.
    /// - Parameters:
    ///   - waiting: What waits or is worked.
    ///   - dead: The dead letters that have no result.
    /// - Returns: The report's line, and the open rows that Redis calls settled although they have no result.
    func look(
        waiting: Set<CaptureID>, dead: Set<CaptureID>
    ) async throws -> (check: DoctorCheck, settled: [OpenIntake]) {
        var place: Int64 = 0
        var open = 0
        var lost: [OpenIntake] = []
        while true {
            let rows = try await session.ledger.openIntake(
                after: place, olderThan: Self.ageMin, limit: Self.pageSize)
            open += rows.count
            lost += try await withoutResult(rows).all
            guard rows.count == Self.pageSize, let last = rows.last else { break }
            place = last.place
        }
        // Some may have been settled and purged from the queue since the row was read: a second look tells.
        let left = try await withoutResult(lost)
        guard left.all.isEmpty else { return (left.problem, left.settled) }
        let rowless = Rowless(
            waiting: try await waitingWithoutRow(waiting), dead: try await withoutRow(dead) { $0 == .failed })
        if let note = rowless.note { return (note, []) }
        let rows = TerminalText.count(open, "open row")
        return (.ok(DoctorReport.intake, "\(rows) older than a minute, each queued or settled"), [])
    }

    /// What waits and has neither row nor result: a row goes when its capture is verified, before that leaves the queue.
    private func waitingWithoutRow(_ waiting: Set<CaptureID>) async throws -> [CaptureID] {
        var rowless: [CaptureID] = []
        for page in try await withoutRow(waiting, stillIn: \.isWaiting).pages(of: Self.pageSize) {
            let results = try await session.store.results(of: page)
            rowless += page.filter { results[$0] == nil }
        }
        return rowless
    }

    /// The captures that have no row, where gateways keep the ledger.
    /// - Parameter isStill: Whether a state is that in which they were seen.
    private func withoutRow(
        _ captures: Set<CaptureID>, stillIn isStill: (CaptureState) -> Bool
    ) async throws -> [CaptureID] {
        guard session.settings.durability == .ledger else { return [] }
        var rowless: [CaptureID] = []
        for page in Array(captures).pages(of: Self.pageSize) {
            let accepted = try await session.ledger.accepted(page)
            let rest = page.filter { accepted[$0] == nil }
            guard !rest.isEmpty else { continue }
            // They may have been settled, put back or discarded since they were seen.
            let jobs = try await session.queue.status(of: rest)
            rowless += zip(rest, jobs).filter { $0.1.map { isStill($0.state) } ?? false }.map(\.0)
        }
        return rowless
    }

    private func withoutResult(_ rows: [OpenIntake]) async throws -> Lost {
        var lost = Lost()
        for page in rows.pages(of: Self.pageSize) {
            // The queue first: a capture has its result before it leaves the queue or is settled there.
            let jobs = try await session.queue.status(of: page.map(\.capture))
            let gone = zip(page, jobs).filter { $0.1?.state.isSettled ?? true }.map(\.0)
            let doctor = QueueDoctor(queue: session.queue)
            let areSettled = try await doctor.areSettled(gone.map { ($0.capture, $0.device) })
            let results = try await session.store.results(of: gone.map(\.capture))
            for (row, isSettled) in zip(gone, areSettled) where results[row.capture] == nil {
                if isSettled { lost.settled.append(row) } else { lost.unknown.append(row) }
            }
        }
        return lost
    }
}

/// Captures in the queue that have no row.
private struct Rowless {
    let waiting: [CaptureID]
    let dead: [CaptureID]

    /// The report's line about them, if there are any.
    var note: DoctorCheck? {
        guard !waiting.isEmpty || !dead.isEmpty else { return nil }
        var (found, repairs) = ([String](), [String]())
        if !waiting.isEmpty {
            found.append(TerminalText.count(waiting.count, "waiting capture"))
            repairs.append("let workers settle what waits before Redis's data are touched")
        }
        if !dead.isEmpty {
            found.append(TerminalText.count(dead.count, "dead letter"))
            repairs.append("`capturectl dead redrive` records them again; `capturectl dead discard` ends them")
        }
        let discard = dead.isEmpty ? "" : ", or a discard broke off half-way"
        return .note(
            DoctorReport.intake, "\(found.joined(separator: " and ")) without a row",
            "they were handed off or accepted without the ledger\(discard); if Redis loses them, nothing puts them back",
            repair: repairs.joined(separator: "; "), examples: (waiting + dead).map(\.description))
    }
}

/// Open rows whose captures are lost, as far as anybody can tell.
private struct Lost {
    /// The queue knows nothing of them.
    var unknown: [OpenIntake] = []
    /// The queue calls them settled but the record has no result: it was restored to an older state, or somebody has
    /// written the status.
    var settled: [OpenIntake] = []

    var all: [OpenIntake] { unknown + settled }

    /// The report's line about them.
    var problem: DoctorCheck {
        var (found, meanings, repairs) = ([String](), [String](), [String]())
        if !unknown.isEmpty {
            found.append("\(TerminalText.count(unknown.count, "open row")) with neither result nor queue entry")
            meanings.append("captures were accepted and the queue has lost them")
            repairs.append("a gateway's reconciler puts them back")
        }
        if !settled.isEmpty {
            found.append("\(TerminalText.count(settled.count, "open row")) settled in Redis and without a result")
            meanings.append(
                "the record has lost results, as in a restore or a failover, or somebody has written the statuses; "
                    + "who asks for one, or sends its bundle again, gets 503")
            repairs.append("a gateway's reconciler puts them back at its next full look; --fix forgets the statuses")
        }
        return .problem(
            DoctorReport.intake, found.joined(separator: ", "), meanings.joined(separator: "; "),
            repair: repairs.joined(separator: "; "), examples: all.map(\.capture.description))
    }
}
