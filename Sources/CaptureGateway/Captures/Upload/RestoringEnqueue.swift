import CaptureModel
import CaptureQueue
import CaptureStore
import Waiting

/// Enqueues a capture, and waits a moment where the queue puts lost captures back first.
struct RestoringEnqueue: Sendable {
    private static let backoff = Backoff(base: .milliseconds(20), cap: .milliseconds(200))

    let queue: any UploadQueue
    let store: any CaptureStore
    /// How long an upload waits for the queue to be restored.
    let restoreWait: Duration
    /// Told that the queue is not restored.
    let onRestoring: @Sendable () -> Void
    /// Random numbers from 0 to 1, which spread the uploads that wait.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }

    /// Hands the capture over.
    ///
    /// Once the queue was found to be restoring, no fault is certain any more: the capture may have been put back from
    /// its row.
    func enqueue(_ submission: CaptureSubmission, _ bytes: UploadedBytes) async throws(QueueError) -> EnqueueOutcome {
        let deadline = ContinuousClock.now + restoreWait
        do throws(QueueError) {
            return try await queue.enqueue(submission)
        } catch {
            guard error.code == .restoring else { throw error }
        }
        onRestoring()
        for attempt in 1... {
            guard await Self.backoff.pause(attempt: attempt, chance: chance(), before: deadline) else { break }
            do throws(QueueError) {
                // What made the queue forget may have taken the bytes as well.
                try await bytes.put()
                let outcome = try await queue.enqueue(submission)
                if outcome == .accepted { await removeIfSettled(bytes) }
                return outcome
            } catch {
                guard error.code == .restoring else {
                    throw QueueError(.outcomeUnknown, error.message, of: error.server)
                }
            }
        }
        throw QueueError(.restoring, "captures that were accepted before are being put back")
    }

    /// Removes bytes that were stored again although their capture was put back and settled meanwhile.
    ///
    /// The worker that settled it had removed the earlier bytes; a worker that settles it from now on removes these.
    /// The record has to have the result: the capture of an open row that the queue alone calls settled is put back.
    func removeIfSettled(_ bytes: UploadedBytes) async {
        let capture = bytes.submission.id
        let status: JobStatus?
        do throws(QueueError) {
            status = try await queue.status(of: capture, from: bytes.submission.device)
        } catch {
            return
        }
        guard let status, status.state.isSettled else { return }
        do throws(StoreError) {
            guard try await store.result(of: capture) != nil else { return }
        } catch {
            return
        }
        await bytes.remove()
    }
}
