import CaptureModel
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Compares the queue with the record.
extension Doctor {
    /// Captures that the queue still has although the record has their result.
    func compareWithRecord(_ view: inout View) async throws {
        let waiting = try await settled(Array(view.examination.waiting))
        view.settledDead = try await settled(Array(view.examination.failed))
        view.settledGone = Set(try await settled(view.examination.capturesOfNothing))
        guard view.settledDead.isEmpty else {
            view.report.checks.append(
                .problem(
                    DoctorReport.results, "\(TerminalText.count(view.settledDead.count, "dead letter")) with a result",
                    "they were settled in PostgreSQL before they were given up here",
                    repair: "--fix puts them back: a worker finds the result and acknowledges them",
                    examples: view.settledDead.map(\.description)))
            return
        }
        view.report.checks += try await DoctorCheck.unlessDamaged(DoctorReport.results) {
            // Every capture is in this state for a moment: the record is written first, the queue follows.
            let left = try await session.queue.status(of: waiting).compactMap { $0 }.count { $0.state.isWaiting }
            guard left > 0 else { return [.ok(DoctorReport.results, "no capture in the queue has one already")] }
            return [
                .note(
                    DoctorReport.results, "\(TerminalText.count(left, "capture")) settled and not yet acknowledged",
                    "a worker acknowledges them when their turn comes")
            ]
        }
    }

    private func settled(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID] {
        var settled: [CaptureID] = []
        for page in captures.pages(of: 500) {
            settled += try await session.store.results(of: page).keys
        }
        return settled
    }
}
