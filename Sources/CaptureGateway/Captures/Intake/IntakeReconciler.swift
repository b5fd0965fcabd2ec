import CaptureModel
import CaptureOperations
package import CaptureQueue
package import CaptureStore
package import FaultPoints
package import Logging
import Observability
import ServiceLifecycle

/// Keeps the queue and the ledger in agreement: what was accepted and has neither result nor queue entry is enqueued.
///
/// It looks again after each ``Configuration/interval`` whether the queue may have lost data, and if so restores it at
/// once; an upload that meets a queue which is not restored wakes it early. Now and then it looks for captures whose
/// gateway died between row and queue, and deletes rows that are no longer needed. Every gateway runs a reconciler; one
/// at a time does the work.
package final class IntakeReconciler: Service, CustomStringConvertible {
    /// Times and bounds.
    package struct Configuration: Sendable {
        /// How often it looks whether the queue is whole (10 ms to 60 s).
        package var interval: Duration = .seconds(1)
        /// The age at which a row without result or queue entry is enqueued.
        ///
        /// Longer than an upload takes from row to queue.
        package var grace: Duration = .seconds(30)
        /// How long it looks only through new rows before it looks through all open rows again.
        package var sweepInterval: Duration = .seconds(300)
        /// How long closed rows stay.
        package var retention: Duration = .seconds(86_400)
        /// Rows that are read at once (1 to 10,000).
        package var pageMax = 500
        /// Rows that are deleted at once (1 to 100,000).
        package var purgeMax = 1_000
        /// How long a restoration is left to another gateway, which may be frozen or cut off while it holds the lock.
        ///
        /// A sweep is left to it for ``grace``, if that is longer.
        package var othersMax: Duration = .seconds(5)

        /// The defaults.
        package init() {}
    }

    private let queue: any RestorableQueue
    private let ledger: any IntakeLedger
    private let configuration: Configuration
    let walk: IntakeWalk
    let uploadStore: (any CaptureStore)?
    let logger: Logger
    private let signal = WakeSignal()
    let outages: Outages
    private let sleep: @Sendable (Duration) async -> Void
    let holdUp = SharedEpisode()

    /// Sends nothing before ``run()``.
    /// - Parameters:
    ///   - ledger: On a client of its own with two connections or more, so that it never waits behind uploads.
    ///   - store: The record, on the same client.
    ///   - uploadStore: The record on the connections of uploads, asked whether it is there when the reconciler's own
    ///     fail; `nil` if there are no others.
    ///   - bundles: Where the bytes of captures are.
    ///   - random: 64 random bits at a time, for marks.
    ///   - outages: Told of servers that are away.
    ///   - faults: What a test run has armed.
    ///   - sleep: Lets time pass, or returns early when it is cancelled.
    package init(
        queue: any RestorableQueue, ledger: any IntakeLedger, store: any CaptureStore,
        uploadStore: (any CaptureStore)? = nil, bundles: any BundleStore,
        configuration: Configuration = Configuration(), random: @escaping @Sendable () -> UInt64, outages: Outages,
        faults: ArmedFaults = .none, logger: Logger,
        sleep: @escaping @Sendable (Duration) async -> Void = { do { try await Task.sleep(for: $0) } catch { return } }
    ) {
        self.queue = queue
        self.ledger = ledger
        self.uploadStore = uploadStore
        self.configuration = configuration
        self.logger = logger
        self.outages = outages
        self.sleep = sleep
        walk = IntakeWalk(
            queue: queue, ledger: ledger, store: store, bundles: bundles, pageMax: configuration.pageMax,
            newMark: {
                var generator = RandomSource(random: random)
                return RestorationMark.make(using: &generator)
            }, faults: faults, logger: logger)
    }

    /// The kind of service, for logs.
    package var description: String { "IntakeReconciler" }

    /// Looks at once: an upload has found the queue not restored.
    package func wake() { signal.send() }

    /// Looks again and again until the shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var round = ReconcilerRound(self.configuration)
            while !Task.isCancelled {
                var isDone = false
                do throws(ServerFault) {
                    isDone = try await self.turn(&round)
                } catch {
                    await self.note(error)
                }
                // Uploads wake it until the queue is restored, which is no reason to look as often as they come.
                if !isDone { await self.sleep(Self.pause) }
                await self.signal.wait(atMost: self.configuration.interval)
            }
        }
    }

    /// The least time between a look that came to nothing and the next one.
    private static let pause: Duration = .milliseconds(100)

    /// Does everything that is due; `false` when it is left to another gateway that is doing it, or a partition refused.
    /// - Throws: As soon as something fails, but for a partition that refuses while another one answers.
    @discardableResult
    func turn(_ round: inout ReconcilerRound) async throws(ServerFault) -> Bool {
        let restorations = try await ServerFault.askingQueue { () async throws(QueueError) in
            try await queue.restorations()
        }
        outages.answered(.redis)
        let wasWhole = round.wasWhole
        let plan = round.plan(broken: restorations.broken, refusing: restorations.refusals, at: .now)
        queue.note(refused: round.refused)
        guard plan != .nothing else { return true }
        var result = try await exclusively { await self.result(of: plan, restorations) }
        if result == nil, round.isOverdue(plan, at: .now) {
            logger.notice("the \(plan.name) is not left to another gateway any longer")
            result = await self.result(of: plan, restorations)
        }
        guard let progress = try result?.get() else { return false }
        outages.answered(.postgres)
        round.done(plan, progress, at: .now)
        let refused = progress.refused.merging(restorations.refusals) { $1 }
        if refused.count == restorations.count, let first = refused[0] { throw .queue(first) }
        report(plan, progress, isWhole: refused.isEmpty, wasWhole: wasWhole)
        // After the sweep's progress is noted, so that the sweep is not repeated when the purge fails.
        if case .sweep = plan { try await purge() }
        if holdUp.end() { logger.notice("the reconciler gets through again") }
        return progress.refused.isEmpty
    }

    private func exclusively(
        _ body: @Sendable () async -> Result<IntakeWalk.Progress, ServerFault>
    ) async throws(ServerFault) -> Result<IntakeWalk.Progress, ServerFault>? {
        try await ServerFault.askingStore { () async throws(StoreError) in try await ledger.exclusively(body) }
    }

    private func result(
        of plan: ReconcilerRound.Plan, _ restorations: [Restoration]
    ) async -> Result<IntakeWalk.Progress, ServerFault> {
        do throws(ServerFault) {
            switch plan {
            case .nothing: return .success(IntakeWalk.Progress())
            case .restore(let partitions): return .success(try await walk.restore(partitions))
            case .sweep(let place, let deadLetters):
                return .success(
                    try await walk.sweep(
                        restorations, after: place, deadLetters: deadLetters, olderThan: configuration.grace))
            }
        } catch {
            return .failure(error)
        }
    }

    private func purge() async throws(ServerFault) {
        try await ServerFault.askingStore { () async throws(StoreError) in
            // Until none is left: as many rows may be due as uploads came between two sweeps.
            let limit = configuration.purgeMax
            while try await ledger.purge(closedFor: configuration.retention, limit: limit) == limit,
                !Task.isCancelled
            {}
        }
    }
}
