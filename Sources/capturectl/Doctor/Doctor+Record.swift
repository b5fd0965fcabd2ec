import CaptureModel
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Compares the queue with the record.
extension Doctor {
    /// Captures that the queue still has although the record has their result.
    func compareWithRecord(_ examination: QueueExamination, _ view: inout View) async throws {
        let waiting = try await settled(Array(examination.waiting))
        try await compareLetters(examination, &view)
        view.settledGone = Set(try await settled(examination.capturesOfNothing))
        if !view.settledDead.isEmpty {
            view.report.checks.append(
                .problem(
                    DoctorReport.results, "\(TerminalText.count(view.settledDead.count, "dead letter")) with a result",
                    "they were settled in PostgreSQL before they were given up here",
                    repair: "--fix puts them back: a worker finds the result and acknowledges them",
                    examples: view.settledDead.map { $0.capture.description }))
        }
        if !view.foreignDead.isEmpty {
            view.report.checks.append(
                .problem(
                    DoctorReport.results,
                    "\(TerminalText.count(view.foreignDead.count, "dead letter")) with the id of another capture's result",
                    "whoever handed it off used the id of a settled capture, or somebody has changed its job in Redis: "
                        + "the record refuses it at every try",
                    repair: "have a genuine one handed off under an id of its own; then capturectl dead discard",
                    examples: view.foreignDead.map(\.description)))
        }
        guard view.settledDead.isEmpty, view.foreignDead.isEmpty else { return }
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

    /// Looks for dead letters that have a result in the record: of their own capture, or of another one with their id.
    private func compareLetters(_ examination: QueueExamination, _ view: inout View) async throws {
        for page in Array(examination.failed).pages(of: QueueDoctor.pageSize) {
            for (capture, result) in try await session.store.results(of: page) {
                if try await isOfAnother(result) {
                    view.foreignDead.append(capture)
                } else {
                    view.settledDead.append((capture, result.device))
                }
            }
        }
    }

    /// Whether the dead letter with a result's id is of another capture than the result, as the record compares them.
    ///
    /// A letter that cannot be read, or is none any more, does not tell.
    private func isOfAnother(_ result: ProvenanceResult) async throws(QueueError) -> Bool {
        do throws(QueueError) {
            guard let letter = try await session.queue.deadLetter(result.id) else { return false }
            guard letter.status.device == result.device else { return true }
            guard let job = try await session.queue.job(of: result.id, from: result.device)?.submission else {
                return false
            }
            return job.photoDigest != result.photoDigest || job.depthDigest != result.depthDigest
                || SHA256Digest.hash(job.metadata) != result.metadataDigest
        } catch {
            guard error.isOfDamagedKey || error.code == .refused else { throw error }
            return false
        }
    }

    private func settled(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID] {
        var settled: [CaptureID] = []
        for page in captures.pages(of: QueueDoctor.pageSize) {
            settled += try await session.store.results(of: page).keys
        }
        return settled
    }
}
