package import CaptureModel
package import CaptureQueue
package import CaptureStore
package import FaultPoints
package import Logging
import MultiBufferP256
package import Observability
package import Rollout
import ServiceLifecycle
import Waiting

/// The worker: claims lanes, verifies their captures, settles them in the record, and gives the lanes back.
///
/// Any number of workers share a queue without knowing of each other. On graceful shutdown it claims nothing more,
/// finishes the batches under way and hands back what it had claimed and not begun.
package struct CaptureWorker<
    Queue: WorkedQueue & DeadLetterQueue, Bundles: BundleStore, Store: CaptureStore
>: Service {
    let queue: Queue
    let configuration: WorkerConfiguration
    let processor: BatchProcessor<Queue, Bundles, Store>
    let gate = WorkGate()
    /// Opens when the duties are to stop, and wakes those that sleep.
    let stop = Latch()
    let patience: Patience
    let claimer: LaneClaimer<Queue>
    let takeOver: LaneTakeOver<Queue>
    let busyLanes: BusyLanes
    let promotionRefusals: RefusalLog
    private let name: String?
    private let logger: Logger

    /// Does nothing before ``run()``.
    /// - Parameters:
    ///   - queue: The queue whose lanes it works.
    ///   - bundles: Where the captures' bytes are.
    ///   - store: The record, which has devices, counters and results.
    ///   - configuration: Its limits, times and policies.
    ///   - time: The wall clock, by which results say when they were verified.
    ///   - rollout: The policy of apps' rollouts, read anew for each batch.
    ///   - running: Where it notes which captures it is verifying, for a ``Watchdog``.
    ///   - faults: What a test run has armed.
    ///   - name: Its name among the workers of the queue, for its log.
    ///   - outages: Logs of server outages, shared with other services; its own by default.
    ///   - now: The clock by which it measures for how long it holds a batch or leaves leases alone.
    ///   - logger: Changes of state and faults.
    package init(
        queue: Queue, bundles: Bundles, store: Store, configuration: WorkerConfiguration, time: @escaping TimeSource,
        rollout: RolloutInForce = RolloutInForce(), running: RunningVerifications = RunningVerifications(),
        faults: ArmedFaults = .none, name: String? = nil, outages: OutageLogs? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, logger: Logger
    ) {
        self.queue = queue
        self.name = name
        self.configuration = configuration
        self.logger = logger
        let outages = outages ?? OutageLogs(logger: logger)
        let gate = gate
        busyLanes = BusyLanes(limit: configuration.pipelines * configuration.claimLanesMax)
        promotionRefusals = RefusalLog("making lanes ready again", logger: logger)
        patience = Patience(
            backoff: configuration.outageBackoff, hold: configuration.outageHold,
            giveBackLimit: configuration.giveBackLimit,
            stop: stop, isAwaited: { await gate.isAwaited }, redis: outages.redis, postgres: outages.postgres,
            bundles: outages.bundles, now: now
        )
        let takeOverPace = TakeOverPace(now: now)
        claimer = LaneClaimer(
            queue: queue, configuration: configuration, takeOver: takeOverPace, patience: patience, faults: faults,
            logger: logger)
        takeOver = LaneTakeOver(
            queue: queue, gate: gate, pace: takeOverPace, busyLanes: busyLanes, patience: patience, logger: logger)
        processor = BatchProcessor(
            queue: queue, bundles: bundles, store: store, configuration: configuration,
            verifier: BatchVerifier(
                concurrency: configuration.concurrency,
                hasher: BundleHasher(concurrency: configuration.concurrency, width: configuration.hashing),
                prover: configuration.provesSignaturesTogether ? .shared : nil,
                verifier: CaptureVerifier(configuration: configuration, now: time), running: running, faults: faults),
            devices: DeviceCache(
                entriesMax: configuration.cachedDevicesMax, lifetime: configuration.cachedDeviceLifetime,
                keys: configuration.keys, riskWarning: configuration.riskWarning
            ),
            rollout: rollout, now: time, patience: patience, untaken: UntakenLog(logger: logger), faults: faults,
            logger: logger
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
                    group.addTask { await every(configuration.storePingInterval, lookForStore) }
                    await group.waitForAll()
                }
            } onCancel: {
                stop.open()
            }
        } onGracefulShutdown: {
            stop.open()
        }
        logger.info("worker has stopped")
    }
}
