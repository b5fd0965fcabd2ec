import CaptureModel
import CaptureStore
import Observability
import ServiceLifecycle
import Synchronization

/// Writes uploads into the ledger in groups: all that arrive while one group is being committed are the next one.
///
/// A single upload waits for one commit; many share it, and one wait for the disk with it. What waits is bounded in
/// number and in time.
final class IntakeJournal: Service, CustomStringConvertible {
    /// Bounds of what waits.
    struct Limits: Sendable {
        /// Uploads of one group.
        var groupMax: Int
        /// Uploads that wait for their group.
        var backlogMax: Int
        /// How long an upload waits for its commit.
        var waitMax: Duration
    }

    private struct Waiting {
        let number: Int
        let submission: CaptureSubmission
        let continuation: CheckedContinuation<Result<IntakeOutcome, StoreError>, Never>
    }

    private struct State {
        var lastNumber = 0
        /// Not yet being written.
        var backlog: [Waiting] = []
        /// Being written.
        var group: [Waiting] = []
    }

    private let ledger: any IntakeLedger
    private let limits: Limits
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init(ledger: any IntakeLedger, limits: Limits) {
        self.ledger = ledger
        self.limits = limits
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The kind of service, for logs.
    var description: String { "IntakeJournal" }

    /// How many uploads wait for their group.
    var waiting: Int { state.withLock { $0.backlog.count } }

    /// Writes group after group until the shutdown, and then what waits at that moment.
    func run() async throws {
        for await _ in arrivals.cancelOnGracefulShutdown() { await writeAll() }
        await writeAll()
    }

    /// Records one upload and returns once it is committed.
    ///
    /// - Throws: `busy` when too many wait: it was not recorded. `outcomeUnknown` when the wait was too long: it
    ///   may be recorded yet.
    func record(_ submission: CaptureSubmission) async throws(StoreError) -> IntakeOutcome {
        let number = state.withLock { state -> Int? in
            guard state.backlog.count < limits.backlogMax else { return nil }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { throw StoreError(.busy, "too many uploads wait for the ledger") }
        let waitMax = limits.waitMax
        return try await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await Task.sleep(for: waitMax) } catch { return }
                self.giveUp(number)
            }
            let result = await withCheckedContinuation { continuation in
                state.withLock {
                    $0.backlog.append(Waiting(number: number, submission: submission, continuation: continuation))
                }
                arrived.yield()
            }
            group.cancelAll()
            return result
        }.get()
    }

    private func writeAll() async {
        while true {
            let group = state.withLock { state in
                state.group = Array(state.backlog.prefix(limits.groupMax))
                state.backlog.removeFirst(state.group.count)
                return state.group
            }
            guard !group.isEmpty else { return }
            let result: Result<[IntakeOutcome], StoreError>
            do throws(StoreError) {
                result = .success(try await ledger.record(group.map(\.submission)))
                CaptureMetrics.intakeRecorded(group.count)
            } catch {
                result = .failure(error)
            }
            // Those that gave up in the meantime are not among them any more.
            let waiting = state.withLock { state in
                defer { state.group = [] }
                return state.group
            }
            let outcomes = Dictionary(
                zip(group.map(\.number), (try? result.get()) ?? []), uniquingKeysWith: { first, _ in first })
            for one in waiting {
                one.continuation.resume(
                    returning: result.flatMap { _ in
                        outcomes[one.number].map { .success($0) }
                            ?? .failure(StoreError(.malformedRow, "the ledger answered for fewer uploads"))
                    })
            }
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

extension IntakeJournal.Limits {
    /// As configured.
    init(_ configuration: GatewayConfiguration) {
        self.init(
            groupMax: configuration.intakeGroupMax, backlogMax: configuration.intakeBacklogMax,
            waitMax: configuration.intakeWait)
    }
}
