package import CaptureModel
package import CaptureStore
import Observability
import ServiceLifecycle
import Synchronization
import Waiting

/// Writes uploads into the ledger in groups: all that arrive while one group is being committed form the next one.
///
/// A single upload waits for one commit; many uploads share a commit and its wait for the disk. The number of waiting
/// uploads and their time are bounded.
///
/// A group that is refused for a conflict, or for a fault that may be of one upload, is divided until the culprit is
/// alone: a bundle whose earlier row somebody else is changing, or whose result is damaged, must not drag the other
/// uploads with it. A row that is held for long delays one group: its parts wait only shortly, and whoever repeats the
/// bundle is refused at once for a while, and goes alone after that.
package final class IntakeJournal: Service, CustomStringConvertible {
    /// Bounds on the waiting uploads.
    package struct Limits: Sendable {
        /// The most uploads of one group.
        package let groupMax: Int
        /// The most uploads that wait for their group.
        package let backlogMax: Int
        /// How long an upload waits for its commit at most.
        package let waitMax: Duration

        /// Memberwise.
        package init(groupMax: Int, backlogMax: Int, waitMax: Duration) {
            self.groupMax = groupMax
            self.backlogMax = backlogMax
            self.waitMax = waitMax
        }
    }

    private let ledger: any IntakeLedger
    private let limits: Limits
    private let sleep: @Sendable (Duration) async -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let uploads = Mutex(WaitingUploads())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    /// Begins without uploads.
    /// - Parameters:
    ///   - sleep: Waits for a time; returns early when it is cancelled.
    ///   - now: The clock by which the journal knows how long ago a conflict was.
    package init(
        ledger: any IntakeLedger, limits: Limits,
        sleep: @escaping @Sendable (Duration) async -> Void = { await EventLoopTimer.wait(for: $0) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.ledger = ledger
        self.limits = limits
        self.sleep = sleep
        self.now = now
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The kind of service, for logs.
    package var description: String { "IntakeJournal" }

    /// For tests: how many uploads wait for their group.
    var waiting: Int { uploads.withLock { $0.count } }

    /// Writes group after group until the shutdown, then the uploads that wait at that moment.
    package func run() async throws {
        for await _ in arrivals.cancelOnGracefulShutdown() { await writeAll() }
        await writeAll()
    }

    /// Records one upload and returns once it is committed.
    ///
    /// - Parameter byDigestAlone: Whether only its bundle digest counts, as the ledger has named a verified capture for
    ///   it whose signature it has not.
    /// - Throws: `busy` when too many wait: it was not recorded. When the wait was too long or was cancelled,
    ///   `outcomeUnknown` if it was just being written, as it may still be recorded, and `unavailable` otherwise.
    ///   `conflict` when somebody else is changing the earlier row of its bundle, or was a moment ago: not recorded.
    package func record(
        _ submission: CaptureSubmission, byDigestAlone: Bool = false
    ) async throws(StoreError) -> IntakeOutcome {
        try await withTaskGroup(of: Void.self) { group in
            let result = await withCheckedContinuation { (continuation: WaitingUploads.Upload.Continuation) in
                let number: Int
                switch join(submission, byDigestAlone: byDigestAlone, continuation) {
                case .success(let joined): number = joined
                case .failure(let fault): return continuation.resume(returning: .failure(fault))
                }
                arrived.yield()
                group.addTask {
                    // The answer, or the cancellation of the upload, ends this sleep early; after an answer there is
                    // nothing left that could time out.
                    await self.sleep(self.limits.waitMax)
                    self.timeOut(number)
                }
            }
            group.cancelAll()
            return result
        }.get()
    }

    /// Adds an upload to those that wait and returns its number, or why it may not wait.
    private func join(
        _ submission: CaptureSubmission, byDigestAlone: Bool, _ continuation: WaitingUploads.Upload.Continuation
    ) -> Result<Int, StoreError> {
        let now = now()
        return uploads.withLock { uploads in
            if uploads.count >= limits.backlogMax {
                return .failure(StoreError(.busy, "too many uploads wait for the ledger"))
            }
            if uploads.refuses(submission.bundleDigest, at: now) {
                return .failure(StoreError(.conflict, "somebody else is changing the earlier row of this bundle"))
            }
            return .success(uploads.add(submission, byDigestAlone: byDigestAlone, continuation, at: now))
        }
    }

    private func writeAll() async {
        while true {
            let group = uploads.withLock { $0.beginGroup(atMost: limits.groupMax) }
            guard !group.isEmpty else { return }
            do throws(StoreError) {
                let outcomes = try await write(group, lockWait: uploads.withLock { $0.lockWait(at: now()) })
                answer(zip(group, outcomes).map { ($0, .success($1)) })
            } catch  where group.count > 1 && Self.mayBeOfOneUpload(error) {
                let conflict = error.code == .conflict ? now() : nil
                uploads.withLock { $0.divideGroup(conflict: conflict) }
            } catch {
                answer(group.map { ($0, .failure(error)) })
                if error.code == .conflict { refuseOthers(of: group, error) }
            }
        }
    }

    /// Whether the ledger has refused a group, perhaps because of one of its uploads.
    ///
    /// An answer that cannot be read is no refusal: the group may be recorded. An upload whose time is over before its
    /// part is written would then be told that it was not recorded, and its bytes would be removed.
    private static func mayBeOfOneUpload(_ error: StoreError) -> Bool {
        error.code == .conflict || (error.mayBeOfOneCapture && error.code != .malformedRow)
    }

    /// Refuses all that wait with the bundle of an upload that has met a conflict alone.
    private func refuseOthers(of group: [WaitingUploads.Upload], _ error: StoreError) {
        let now = now()
        for bundle in group.map(\.submission.bundleDigest) {
            let others = uploads.withLock { $0.noteHeld(bundle, at: now) }
            for upload in others { upload.continuation.resume(returning: .failure(error)) }
        }
    }

    /// Returns one outcome for each upload of the group.
    private func write(
        _ group: [WaitingUploads.Upload], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        let submissions = group.map(\.submission)
        // A group has one kind of uploads.
        let outcomes =
            if group.first?.isByDigestAlone == true {
                try await ledger.record(byDigestAlone: submissions, lockWait: lockWait)
            } else {
                try await ledger.record(submissions, lockWait: lockWait)
            }
        guard outcomes.count == group.count else {
            throw StoreError(.malformedRow, "the ledger answered for \(outcomes.count) of \(group.count) uploads")
        }
        CaptureMetrics.intakeRecorded(group.count)
        return outcomes
    }

    /// Answers the group's uploads, except those that no longer wait.
    private func answer(_ results: [(WaitingUploads.Upload, Result<IntakeOutcome, StoreError>)]) {
        let waiting = Set(uploads.withLock { $0.endGroup() }.map(\.number))
        for (upload, result) in results where waiting.contains(upload.number) {
            upload.continuation.resume(returning: result)
        }
    }

    private func timeOut(_ number: Int) {
        guard let (upload, isBeingWritten) = uploads.withLock({ $0.remove(number) }) else { return }
        upload.continuation.resume(
            returning: .failure(
                StoreError(isBeingWritten ? .outcomeUnknown : .unavailable, "the ledger did not answer in time")))
    }
}
