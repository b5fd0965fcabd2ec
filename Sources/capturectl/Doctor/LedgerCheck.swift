import CaptureModel
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Looks for captures that the ledger has open and of which nobody else knows anything.
struct LedgerCheck: Sendable {
    let session: OperatorSession

    /// A row is open before its capture is queued: younger ones say nothing.
    private static let ageMin = Duration.seconds(60)
    private static let pageSize = 500

    /// Looks at every open row.
    func look() async throws -> DoctorCheck {
        var place: Int64 = 0
        var open = 0
        var lost: [CaptureID] = []
        while true {
            let rows = try await session.ledger.openIntake(
                after: place, olderThan: Self.ageMin, limit: Self.pageSize)
            open += rows.count
            lost += try await unknown(rows.map(\.capture))
            guard rows.count == Self.pageSize, let last = rows.last else { break }
            place = last.place
        }
        // Settled and purged from the queue since the row was read: the second look tells.
        lost = try await unknown(lost)
        guard !lost.isEmpty else {
            return .ok(
                DoctorReport.intake, "\(Wording.count(open, "open row")) older than a minute, each queued or settled")
        }
        return .problem(
            DoctorReport.intake, "\(Wording.count(lost.count, "open row")) with neither result nor queue entry",
            "captures were accepted and the queue has lost them", repair: "a gateway's reconciler puts them back",
            examples: lost.map(\.description))
    }

    private func unknown(_ captures: [CaptureID]) async throws -> [CaptureID] {
        guard !captures.isEmpty else { return [] }
        // The queue first: a capture has its result before it leaves the queue.
        let jobs = try await session.queue.status(of: captures)
        let missing = zip(captures, jobs).filter { $0.1 == nil }.map(\.0)
        let results = try await session.store.results(of: missing)
        return missing.filter { results[$0] == nil }
    }
}
