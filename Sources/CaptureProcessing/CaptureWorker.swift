package import CaptureModel
package import CaptureQueue
package import CaptureStore
package import FaultPoints
import Latch
package import Logging
import MultiBufferP256
package import Observability
package import Rollout
import ServiceLifecycle

/// The worker: claims lanes, verifies their captures, settles them in the record, and gives the lanes back.
///
/// Any number of workers share a queue without knowing of each other. On graceful shutdown it claims nothing more,
/// finishes the batches under way and hands back what it had claimed and not begun.
package struct CaptureWorker<
    Queue: WorkedQueue & DeadLetterQueue, Bundles: BundleStore, Store: CaptureStore
>: Service {
    private let queue: Queue
    private let configuration: WorkerConfiguration
    private let processor: BatchProcessor<Queue, Bundles, Store>
    private let gate = WorkGate()
    /// Opens when the duties are to stop, and wakes those that sleep.
    private let stop = Latch()
    private let patience: Patience
    private let claimer: LaneClaimer<Queue>
    private let takeOver: LaneTakeOver<Queue>
    private let hands: LanesInHand
    private let promotionRefusals: RefusalLog
    private let name: String?
    private let logger: Logger

    /// Does nothing before ``run()``.
    /// - Parameters:
    ///   - queue: The queue whose lanes it works.
    ///   - bundles: Where the captures' bytes are.
    ///   - store: The record.
    ///   - configuration: What bounds and steers it.
    ///   - now: The time.
    ///   - rollout: The policy of apps' rollouts, read anew for each batch.
    ///   - inHand: Where it notes which captures it is verifying, for a ``Watchdog``.
    ///   - faults: What a test run has armed.
    ///   - name: Its name among the workers of the queue, for its log.
    ///   - outages: Logs of server outages, shared with other services; its own by default.
    ///   - logger: Changes of state and faults.
    package init(
        queue: Queue, bundles: Bundles, store: Store, configuration: WorkerConfiguration, now: @escaping TimeSource,
        rollout: RolloutInForce = RolloutInForce(), inHand: WorkInHand = WorkInHand(), faults: Faults = .none,
        name: String? = nil, outages: OutageLogs? = nil, logger: Logger
    ) {
        self.queue = queue
        self.name = name
        self.configuration = configuration
        self.logger = logger
        let outages = outages ?? OutageLogs(logger: logger)
        let gate = gate
        hands = LanesInHand(limit: configuration.pipelines * configuration.claimLanesMax)
        promotionRefusals = RefusalLog("making lanes ready again", logger: logger)
        patience = Patience(
            backoff: configuration.outageBackoff, hold: configuration.outageHold,
            giveBackLimit: configuration.giveBackLimit,
            stop: stop, isAwaited: { await gate.isAwaited }, redis: outages.redis, postgres: outages.postgres,
            bundles: outages.bundles
        )
        let takeOverPace = TakeOverPace()
        claimer = LaneClaimer(
            queue: queue, configuration: configuration, takeOver: takeOverPace, patience: patience, faults: faults,
            logger: logger)
        takeOver = LaneTakeOver(
            queue: queue, gate: gate, pace: takeOverPace, hands: hands, patience: patience, logger: logger)
        processor = BatchProcessor(
            queue: queue, bundles: bundles, store: store, configuration: configuration,
            verifier: BatchVerifier(
                concurrency: configuration.concurrency,
                hasher: BundleHasher(concurrency: configuration.concurrency, width: configuration.hashing),
                prover: configuration.provesSignaturesTogether ? .shared : nil,
                verifier: CaptureVerifier(configuration: configuration, now: now), inHand: inHand, faults: faults),
            devices: DeviceCache(
                entriesMax: configuration.cachedDevicesMax, lifetime: configuration.cachedDeviceLifetime,
                keys: configuration.keys, riskWarning: configuration.riskWarning
            ),
            rollout: rollout, now: now, patience: patience, faults: faults, logger: logger
        )
    }

    private func announce() {
        var together = configuration.provesSignaturesTogether
        switch SignatureProver.support {
        case .available: break
        case .absent: together = false
        case .faulty:
            together = false
            logger.error("the processor's lanes fail their test; signatures are verified one by one")
        }
        var metadata: Logger.Metadata = [
            "version": "\(ProcessorVersion.current)", "signatures": "\(together ? "together" : "one by one")",
        ]
        if let name { metadata["worker"] = "\(name)" }
        logger.notice("worker is ready", metadata: metadata)
    }

    /// Works until graceful shutdown or cancellation.
    package func run() async throws {
        announce()
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<configuration.pipelines {
                        group.addTask { await claimAndWork() }
                    }
                    group.addTask { await every(configuration.takeOverInterval, takeOverLanes) }
                    group.addTask { await every(configuration.promoteInterval, promoteLanes) }
                    group.addTask { await every(configuration.promoteInterval, lookForStore) }
                    await group.waitForAll()
                }
            } onCancel: {
                stop.open()
            }
        } onGracefulShutdown: {
            stop.open()
        }
        logger.info("worker has stopped; nothing is in its hands")
    }

    // MARK: Duties

    /// One pipeline: claims, works, gives back, and again.
    private func claimAndWork() async {
        while !stop.isOpen {
            let round = await claimer.pace.begin()
            // Claiming is a part of the round: while a suspect is worked, this worker claims nothing that would go down
            // with it.
            await gate.withShared {
                let leases = await claimer.claim(in: round)
                return await hands.hold(leases.count) { await work(leases) }
            } thenAlone: { suspects in
                _ = await hands.hold(suspects.count) { await workAlone(suspects) }
            } otherwise: { suspects in
                await handBack(suspects)
            }
            claimer.pace.end()
        }
    }

    /// Works the leases that are no suspects beside other rounds, and returns the suspects to be worked alone next.
    ///
    /// When one batch has waited in vain, the remaining ones are handed back and do not wait as long again: a lane that
    /// is held for too long counts as forgotten in the end.
    private func work(_ leases: [Lease]) async -> [Lease]? {
        let (suspects, others) = SuspectGroup.first(of: leases.filter(\.isSuspect))
        // These suspects would go down with the first group.
        await handBack(others)
        let batches = BatchPlan.batches(
            of: leases.filter { !$0.isSuspect }, bytesMax: configuration.batchBytesMax,
            capturesMax: configuration.batchCapturesMax
        )
        var mayGoOn = true
        for batch in batches {
            if mayGoOn, await !isToYield() {
                mayGoOn = await processor.process(batch)
            } else {
                await processor.handBack(batch)
            }
        }
        guard mayGoOn else {
            await handBack(suspects)
            return nil
        }
        return suspects.isEmpty ? nil : suspects
    }

    /// Whether batches not yet begun are to be handed back, because a suspect waits or the worker stops.
    private func isToYield() async -> Bool {
        if stop.isOpen { return true }
        return await gate.isClosed
    }

    private func handBack(_ leases: [Lease]) async {
        await processor.handBack(leases.map { LanePortion(lease: $0, jobs: $0.jobs[...]) })
    }

    /// Works suspects while nothing else is under way; once the worker stops, no suspect is begun.
    /// - Returns: Whether there is time for others.
    private func workAlone(_ suspects: [Lease]) async -> Bool {
        guard !stop.isOpen else {
            await handBack(suspects)
            return false
        }
        let areSlight = suspects.allSatisfy { $0.suspicion == .slight }
        let batches = BatchPlan.batches(
            of: suspects, bytesMax: areSlight ? configuration.batchBytesMax : 0,
            capturesMax: areSlight ? SuspectGroup.capturesMax : 1)
        let processor = processor.forSuspects
        var mayGoOn = true
        for batch in batches {
            if mayGoOn, !stop.isOpen {
                mayGoOn = await processor.process(batch)
            } else {
                await processor.handBack(batch)
            }
        }
        return mayGoOn
    }

    private func takeOverLanes() async {
        await takeOver.takeLanes { suspects in
            await workAlone(suspects)
        } handBack: { suspects in
            await handBack(suspects)
        }
    }

    private func promoteLanes() async {
        promotionRefusals.note(
            await patience.withQueue(.untilStop) { () async throws(QueueError) in try await queue.promote() })
    }

    /// Pings the record while it is away: an idle worker asks it nothing else, and would never see that it is back.
    private func lookForStore() async {
        guard patience.isStoreAway else { return }
        _ = await patience.withStore(isReading: true) { () async throws(StoreError) in
            try await processor.store.ping()
        }
    }

    private func every(_ interval: Duration, _ duty: @Sendable () async -> Void) async {
        while !stop.isOpen {
            await duty()
            await stop.wait(for: interval)
        }
    }
}
