package import CaptureModel
package import CaptureQueue

/// A queue in this process's memory: for tests, and as the model of what every queue does.
///
/// Copies share one queue; ``worker(_:)`` makes a copy that claims under a name of its own.
/// Nothing survives the process.
package struct MemoryCaptureQueue: CaptureQueue {
    /// The limits and times of a queue in memory.
    package struct Configuration: Sendable {
        /// The most captures it takes.
        package var capturesMax = 100_000
        /// The most of one device.
        package var capturesPerDeviceMax = 20_000
        /// The most bytes it takes.
        package var bytesMax = 4 << 30
        /// The most of one device; where none of its captures waits, any one is taken.
        package var bytesPerDeviceMax = (4 << 30) / 10
        /// After what time without renewal another worker may take a lane over.
        package var leaseDuration: Duration = .seconds(5)
        /// How often a capture at the head is delivered to workers that do not come back before
        /// it becomes a dead letter.
        package var deliveriesMax = 4
        /// How many settled captures are remembered for status answers.
        package var statusesMax = 10_000

        /// The defaults.
        package init() {}
    }

    private let shared: SharedQueueState
    private let consumer: String
    private let time: TimeSource
    private let bundles: MemoryBundleStore?

    /// Makes an empty queue.
    /// - Parameters:
    ///   - configuration: Limits and times.
    ///   - time: The queue's clock.
    ///   - bundles: Where the bytes of settled and discarded captures are removed.
    package init(
        configuration: Configuration = Configuration(), time: @escaping TimeSource, bundles: MemoryBundleStore? = nil
    ) {
        self.init(
            shared: SharedQueueState(MemoryQueueState(limits: configuration)), consumer: "worker", time: time,
            bundles: bundles
        )
    }

    private init(shared: SharedQueueState, consumer: String, time: @escaping TimeSource, bundles: MemoryBundleStore?) {
        self.shared = shared
        self.consumer = consumer
        self.time = time
        self.bundles = bundles
    }

    /// The same queue as another worker sees it.
    package func worker(_ name: String) -> MemoryCaptureQueue {
        MemoryCaptureQueue(shared: shared, consumer: name, time: time, bundles: bundles)
    }

    /// Tells the workers to claim nothing, or to go on.
    package func setPaused(_ paused: Bool) {
        shared.change { $0.isPaused = paused }
    }
}

extension MemoryCaptureQueue {
    /// Accepts a capture, or names the one as which its bundle was accepted before.
    package func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
        let result = shared.change { state in
            Result { () throws(QueueError) in try state.enqueue(submission, now: time()) }
        }
        let outcome = try result.get()
        // The id may be that of another capture that lives: its bytes are not this call's to remove.
        if outcome != .accepted, shared.read({ $0.jobs[submission.id] == nil }) { bundles?.drop([submission.id]) }
        return outcome
    }

    /// Forgets that a bundle was accepted, where it leads to that capture and nothing is known of that here.
    package func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool {
        shared.change { $0.forget(bundle, acceptedAs: capture) }
    }

    /// The capture that a bundle was accepted as.
    package func accepted(_ bundle: SHA256Digest) async throws(QueueError) -> CaptureID? {
        shared.read { $0.accepted[bundle] }
    }

    /// What was submitted as a capture that waits.
    package func job(of capture: CaptureID, from device: DeviceID) async throws(QueueError) -> ClaimedJob? {
        shared.read { state in
            guard let job = state.jobs[capture], job.submission.device == device, !state.settled.contains(capture)
            else {
                return nil
            }
            let status = job.status
            return .valid(
                CaptureJob(
                    submission: job.submission, receivedAt: status.receivedAt,
                    claimedAt: status.claimedAt ?? status.receivedAt, attempts: status.attempts,
                    isRedriven: status.isRedriven))
        }
    }

    /// How full the queue is.
    package func load() async throws(QueueError) -> QueueLoad {
        shared.read { state in
            QueueLoad(
                captures: state.waitingCount, bytes: state.waitingBytes, deadLetters: state.dead.count,
                readyLanes: state.ready.count, delayedLanes: state.delayed.count, leasedLanes: state.held.count,
                capturesMax: state.limits.capturesMax, bytesMax: state.limits.bytesMax, isPaused: state.isPaused
            )
        }
    }

    /// Where captures stand, in the order asked.
    package func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
        shared.read { state in captures.map { state.jobs[$0]?.status } }
    }

    /// Takes up to so many ready lanes, and waits a while for the first.
    package func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease] {
        let now = time
        func attempt() -> [Lease] {
            shared.change {
                $0.claim(consumer: consumer, lanesMax: lanesMax, capturesPerLaneMax: capturesPerLaneMax, now: now())
            }
        }
        let leases = attempt()
        guard leases.isEmpty, wait > .zero else { return leases }
        await shared.waitForChange(atMost: wait) { !$0.ready.isEmpty && !$0.isPaused }
        return attempt()
    }

    /// Whether there may be a lane to take over.
    package func hasLapsedLanes() async throws(QueueError) -> Bool {
        shared.change { $0.hasLapsed(now: time()) }
    }

    /// Takes over at most one lane whose lease has run out, with one capture only.
    package func takeOver() async throws(QueueError) -> Lease? {
        while true {
            switch shared.change({ $0.takeOver(consumer: consumer, now: time()) }) {
            case .none: return nil
            case .claimed(let lease): return lease
            case .buried: continue
            }
        }
    }

    /// Gives every lane back in one step each; a lane that another worker holds by now is `.fenced`, and one with other
    /// captures at its head a `.mismatch`.
    package func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
        settlements.map { settlement in
            let (outcome, spent) = shared.change { $0.settle(settlement, consumer: consumer, now: time()) }
            bundles?.drop(spent)
            return outcome
        }
    }

    /// Moves lanes whose delay is over back to the ready ones; returns how many.
    package func promote() async throws(QueueError) -> Int {
        shared.change { $0.promote(now: time()) }
    }

    /// Extends the leases that this worker holds, as the heartbeat of one with a queue in Redis does by itself.
    package func renewLeases() {
        shared.change { $0.renew(consumer: consumer, now: time()) }
    }

    /// Whether another worker has any of these lanes.
    package func mayBeLost(_ tokens: [LaneToken]) -> Bool {
        shared.read { state in tokens.contains { state.token(of: $0, consumer: consumer) == nil } }
    }

    /// Stops renewing leases whose lanes cannot be given back; another worker takes them over then.
    package func abandon(_ tokens: [LaneToken]) {
        shared.change { $0.abandon(tokens, consumer: consumer) }
    }

    /// Dead letters, oldest first, after a place in their order.
    package func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
        let letters = shared.read { state in state.dead.compactMap { state.jobs[$0] } }.map(letter)
        let rest = letters.sorted { $0.position < $1.position }.filter { letter in
            after.map { $0 < letter.position } ?? true
        }
        let page = Array(rest.prefix(min(max(1, limit), DeadLetterPage.lettersMax)))
        return DeadLetterPage(letters: page, next: page.count < rest.count ? page.last?.position : nil)
    }

    /// The place after which the newest dead letters come; `nil` when there are no others.
    package func deadLetterPlace(beforeNewest count: Int) async throws(QueueError) -> DeadLetter.Position? {
        shared.read { state in state.dead.compactMap { state.jobs[$0] } }.map { letter($0).position }
            .sorted { $1 < $0 }.dropFirst(count).first
    }

    /// The dead letter of a capture; `nil` when there is none of this id.
    package func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? {
        shared.read { state in state.dead.contains(capture) ? state.jobs[capture] : nil }.map(letter)
    }

    private func letter(_ job: MemoryQueueState.Job) -> DeadLetter {
        DeadLetter(
            status: job.status, diedAt: job.diedAt ?? job.status.receivedAt, deliveries: nil,
            photoBytes: job.submission.photoBytes, depthBytes: job.submission.depthBytes,
            bundleStore: bundles?.name,
            bytes: bundles.map { DeadLetter.Bytes(areKept: $0.contains(job.submission.id)) }
                ?? DeadLetter.Bytes(notLookedForAfter: job.status.reason)
        )
    }

    /// Puts a dead letter back at the end of its device's lane; `false` when there is none of this id.
    package func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool {
        shared.change { $0.redrive(capture) }
    }

    /// Puts a dead letter back as its row in the ledger has it; `false` when there is none of this id.
    package func redrive(as submission: CaptureSubmission) async throws(QueueError) -> Bool {
        shared.change { $0.redrive(as: submission) }
    }

    /// Deletes a dead letter and its bytes for good; `false` when there is none at this place.
    package func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
        let found = shared.change { $0.discard(letter) }
        if found { bundles?.drop([letter.capture]) }
        return found
    }
}

extension MemoryCaptureQueue: SweepQueue {
    /// Whether there is anything of captures here, in the order asked.
    package func knows(_ captures: [CaptureID]) async throws(QueueError) -> [Bool] {
        shared.read { state in captures.map { state.jobs[$0] != nil } }
    }
}
