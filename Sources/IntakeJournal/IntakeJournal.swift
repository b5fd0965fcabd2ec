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

    private struct Waiting {
        let number: Int
        let submission: CaptureSubmission
        let continuation: CheckedContinuation<Result<IntakeOutcome, StoreError>, Never>
    }

    private struct State {
        var lastNumber = 0
        /// Uploads that are not being written yet.
        var backlog: [Waiting] = []
        /// Uploads that are being written.
        var group: [Waiting] = []
    }

    private let ledger: any IntakeLedger
    private let limits: Limits
    private let sleep: @Sendable (Duration) async -> Void
    private let state = Mutex(State())
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

    /// How many uploads wait for their group.
    var waiting: Int { state.withLock { $0.backlog.count } }

    /// Writes group after group until the shutdown, then the uploads that wait at that moment.
    package func run() async throws {
        for await _ in arrivals.cancelOnGracefulShutdown() { await writeAll() }
        await writeAll()
    }

    /// Records one upload and returns once it is committed.
    ///
    /// - Throws: `busy` when too many wait: it was not recorded. When the wait was too long or was cancelled,
    ///   `outcomeUnknown` if its group was begun, as it may still be recorded, and `unavailable` before that.
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
                    // nothing to give up.
                    await self.sleep(self.limits.waitMax)
                    self.giveUp(number)
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
        state.withLock { state in
            guard state.backlog.count < limits.backlogMax else { return nil }
            state.lastNumber += 1
            state.backlog.append(
                Waiting(number: state.lastNumber, submission: submission, continuation: continuation))
            return state.lastNumber
        }
    }

    private func writeAll() async {
        while true {
            let group = state.withLock { state in
                state.group = Array(state.backlog.prefix(limits.groupMax))
                state.backlog.removeFirst(state.group.count)
                return state.group
            }
            guard !group.isEmpty else { return }
            let results = await write(group)
            // Uploads that gave up in the meantime are no longer in the group.
            let waiting = state.withLock { state in
                defer { state.group = [] }
                return Set(state.group.map(\.number))
            }
            for (one, result) in zip(group, results) where waiting.contains(one.number) {
                one.continuation.resume(returning: result)
            }
        }
    }

    /// Returns one result for each upload of the group.
    private func write(_ group: [Waiting]) async -> [Result<IntakeOutcome, StoreError>] {
        do throws(StoreError) {
            let outcomes = try await ledger.record(group.map(\.submission))
            guard outcomes.count == group.count else {
                throw StoreError(.malformedRow, "the ledger answered for \(outcomes.count) of \(group.count) uploads")
            }
            CaptureMetrics.intakeRecorded(group.count)
            return outcomes.map { .success($0) }
        } catch {
            return group.map { _ in .failure(error) }
        }
    }

    private func giveUp(_ number: Int) {
        let (found, wasBegun) = state.withLock { state -> (Waiting?, Bool) in
            if let index = state.backlog.firstIndex(where: { $0.number == number }) {
                return (state.backlog.remove(at: index), false)
            }
            guard let index = state.group.firstIndex(where: { $0.number == number }) else { return (nil, false) }
            return (state.group.remove(at: index), true)
        }
        found?.continuation.resume(
            returning: .failure(
                StoreError(wasBegun ? .outcomeUnknown : .unavailable, "the ledger did not answer in time")))
    }
}
