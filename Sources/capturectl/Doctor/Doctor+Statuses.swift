import CaptureModel
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Compares the statuses of settled captures with the record.
extension Doctor {
    /// Looks for settled captures whose results the record does not have.
    ///
    /// A result is written before the status, so one look is enough. Captures with open rows are the ledger's.
    func compareStatuses(_ examination: QueueExamination, _ view: inout View) async throws(StoreError) {
        let open = Set(view.settledOpen.map(\.capture))
        let subjects = Set(examination.findings.map(\.subject))
        var looked = 0
        for (partition, captures) in examination.settled.sorted(by: { $0.key < $1.key }) {
            looked += captures.count
            for page in captures.pages(of: QueueDoctor.pageSize) where stop.signal == nil {
                for capture in try await session.store.withoutResult(page) where !open.contains(capture) {
                    view.settledLost.add(capture, partition: partition, subjects: subjects)
                }
            }
        }
        let lost = view.settledLost.kept
        guard !lost.isEmpty else {
            guard stop.signal == nil else { return }
            let found = "\(TerminalText.count(looked, "settled capture")), none without a result"
            view.add(.ok(DoctorReport.statuses, found))
            return
        }
        let (more, rest) = view.settledLost.hasMore ? ("more than ", "; \(DoctorReport.rest)") : ("", "")
        view.add(
            .problem(
                DoctorReport.statuses,
                "\(more)\(TerminalText.count(lost.count, "capture")) settled in Redis and not in the record",
                "the record has lost results, as in a failover or a restore, or somebody has written the statuses; who "
                    + "asks for one, or sends its bundle again, gets 503",
                repair: "--fix forgets the statuses: our gateways accept a bundle that is sent again anew; "
                    + "RUNBOOKS.md, \"PostgreSQL has failed over\", tells which captures they were\(rest)",
                examples: lost.prefix(DoctorCheck.examplesMax).map(\.capture.description)))
    }
}
