package import AppleDeviceCheck
package import CaptureModel
package import CaptureQueue
package import CaptureStore
package import FaultPoints
package import Logging
package import Observability
package import Rollout

/// What a gateway works with: the seams to the servers, the time, random numbers and the log.
package struct GatewayDependencies: Sendable {
    /// Where captures go, and where they end as dead letters.
    package var queue: any UploadQueue & DeadLetterQueue
    /// Where their bytes go.
    package var bundles: any BundleStore
    /// Checks whether an absent bundle directory is back; `nil`, the default, when bytes are kept elsewhere.
    package var checkBundles: (@Sendable () async throws(QueueError) -> Void)?
    /// The record.
    package var store: any CaptureStore
    /// The ledger of accepted captures; `nil`, the default, keeps none.
    package var intake: (any IntakeLedger)?
    /// Told when an upload finds the queue waiting to be restored from the ledger.
    package var onRestoring: @Sendable () -> Void = {}
    /// Asks Apple about devices without App Attest; `nil`, the default, leaves their state unknown.
    package var deviceCheck: (any DeviceCheckService)?
    /// What becomes of devices after their registration; `nil`, the default, answers nothing about it.
    package var registry: (any DeviceRegistry & ReceiptStore)?
    /// What devices enrol with; `nil`, the default, takes no enrolments.
    package var enrolment: EnrolmentDependencies?
    /// Issued challenges.
    package var challenges: any ChallengeStore
    /// Counts of clients' requests.
    package var limiter: any RateLimiter
    /// News of captures.
    package var changes: any StateChanges
    /// What `/metrics` shows; `nil` shows nothing.
    package var metrics: PrometheusRegistry?
    /// Measures states of the process before `/metrics` is answered.
    package var gauges: @Sendable () -> Void = {}
    /// Whether all checks of the start are passed; `/readyz` waits for it.
    package var hasStarted: @Sendable () -> Bool = { true }
    /// The time.
    package var now: TimeSource
    /// 64 bits of a cryptographically secure generator, for challenges, ids and waits.
    package var random: @Sendable () -> UInt64
    /// The log.
    package var logger: Logger
    /// Told of servers that are away.
    package var outages: Outages
    /// What operators' pages and lists work with; `nil`, the default, has none of them.
    package var operators: OperatorDependencies?
    /// The policy of apps' rollouts; by default nothing is judged.
    package var rollout = RolloutInForce()
    /// What a test run has armed.
    package var faults = ArmedFaults.none

    /// Takes what every gateway needs; the rest begins with its defaults.
    package init(
        queue: any UploadQueue & DeadLetterQueue, bundles: any BundleStore, store: any CaptureStore,
        challenges: any ChallengeStore, limiter: any RateLimiter, changes: any StateChanges,
        metrics: PrometheusRegistry?, now: @escaping TimeSource, random: @escaping @Sendable () -> UInt64,
        logger: Logger
    ) {
        self.queue = queue
        self.bundles = bundles
        self.store = store
        self.challenges = challenges
        self.limiter = limiter
        self.changes = changes
        self.metrics = metrics
        self.now = now
        self.random = random
        self.logger = logger
        outages = Outages(logger: logger)
    }

    /// The random source as a `RandomNumberGenerator`.
    var generator: RandomSource { RandomSource(random: random) }

    /// A random number in 0..<1: the place of a wait in its range.
    func chance() -> Double { Double(randomBits: random()) }
}
