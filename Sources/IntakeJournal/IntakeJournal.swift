package import CaptureModel
package import CaptureStore
import EventLoops
import Observability
import ServiceLifecycle
import Synchronization

/// Writes uploads into the ledger in groups: all that arrive while one group is being committed form the next one.
///
/// A single upload waits for one commit; many uploads share a commit and its wait for the disk. The number of waiting
/// uploads and their time are bounded.
///
/// A group that is refused for a conflict, or for a fault that may be of one upload, is divided until the culprit is
/// alone: a bundle whose earlier row somebody else is changing, or whose result is damaged, must not drag the other
/// uploads with it.
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
    private let uploads = Mutex(WaitingUploads())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    /// Begins without uploads.
    /// - Parameter sleep: Waits for a time; returns early when it is cancelled.
    package init(
        ledger: any IntakeLedger, limits: Limits,
        sleep: @escaping @Sendable (Duration) async -> Void = { await EventLoopTimer.wait(for: $0) }
    ) {
        self.ledger = ledger
        self.limits = limits
        self.sleep = sleep
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
    /// - Throws: `busy` when too many wait: it was not recorded. When the wait was too long or was cancelled,
    ///   `outcomeUnknown` if it was just being written, as it may still be recorded, and `unavailable` otherwise.
    ///   `conflict` when somebody else is changing the earlier row of its bundle.
    package func record(_ submission: CaptureSubmission) async throws(StoreError) -> IntakeOutcome {
        try await withTaskGroup(of: Void.self) { group in
            let result = await withCheckedContinuation { continuation in
                guard let number = join(submission, continuation) else {
                    continuation.resume(
                        returning: .failure(StoreError(.busy, "too many uploads wait for the ledger")))
                    return
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

    /// Adds an upload to the backlog and returns its number; `nil` when the backlog is full.
    private func join(
        _ submission: CaptureSubmission, _ continuation: CheckedContinuation<Result<IntakeOutcome, StoreError>, Never>
    ) -> Int? {
        uploads.withLock { $0.count < limits.backlogMax ? $0.add(submission, continuation) : nil }
    }

    private func writeAll() async {
        while true {
            let group = uploads.withLock { $0.beginGroup(atMost: limits.groupMax) }
            guard !group.isEmpty else { return }
            do throws(StoreError) {
                let outcomes = try await write(group)
                answer(zip(group, outcomes).map { ($0, .success($1)) })
            } catch  where group.count > 1 && Self.mayBeOfOneUpload(error) {
                uploads.withLock { $0.divideGroup() }
            } catch {
                answer(group.map { ($0, .failure(error)) })
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

    /// Returns one outcome for each upload of the group.
    private func write(_ group: [WaitingUploads.Upload]) async throws(StoreError) -> [IntakeOutcome] {
        let outcomes = try await ledger.record(group.map(\.submission))
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
