public import CaptureModel

/// The queue as gateways, workers and operators see it: lanes of captures, one per device, and leases on lanes.
///
/// What holds for every implementation: a lane that is not empty has exactly one token; captures of a device are handed
/// out in the order in which they were accepted; whatever is accepted stays until it is settled, kept as a dead letter
/// or discarded by an operator. The conformance suite in the tests holds implementations to it.
public protocol CaptureQueue: Sendable {
    // MARK: Gateways

    /// Accepts a capture whose bytes are in the bundle store, or names the one that was accepted before.
    func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome

    /// Forgets that a bundle was accepted, where it leads to that capture and nothing is known of that here.
    ///
    /// For whoever has found that the record knows nothing of it either: the bundle is new then.
    /// - Returns: `false` when the bundle leads elsewhere or the capture is known: nothing was changed then.
    func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool

    /// How full the queue is, in O(1).
    func load() async throws(QueueError) -> QueueLoad

    /// Where captures stand, in the order asked; `nil` for ids that the queue no longer or never knew.
    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?]

    // MARK: Workers

    /// Takes up to `lanesMax` lanes and waits for the first for up to `wait`.
    func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease]

    /// Whether there may be a lane to take over; asked often, and before anything is put aside for it.
    func hasLapsedLanes() async throws(QueueError) -> Bool

    /// Takes over at most one lane whose worker has let its lease run out, with one capture only.
    ///
    /// A capture whose worker did not come back for the `deliveriesMax`th time goes to the dead letters instead,
    /// however its lane was given back in between.
    func takeOver() async throws(QueueError) -> Lease?

    /// Gives every lane in `settlements` back in one step each; a lane that another worker holds by now is `.fenced`.
    ///
    /// Sending the same settlement again after an unknown outcome is harmless: it is `.fenced` if it had been done.
    /// After a fault the lanes are this worker's until they are settled again or abandoned.
    func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome]

    /// Moves lanes whose delay is over back to the ready ones; returns how many.
    func promote() async throws(QueueError) -> Int

    /// Stops renewing leases whose lanes cannot be given back; another worker takes them over when they run out.
    func abandon(_ tokens: [LaneToken])

    // MARK: Operators

    /// Up to `limit` dead letters (1 to 1,000), oldest first, after a place in their order.
    ///
    /// Those that come or go meanwhile shift nothing: a reader who goes on where the page says meets each once.
    func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage

    /// The dead letter of a capture; `nil` when there is none of this id.
    func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter?

    /// Puts a dead letter back at the end of its device's lane; `false` when there is none of this id.
    func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool

    /// Deletes a dead letter and its bytes for good; `false` when there is none of this id.
    func discard(_ capture: CaptureID) async throws(QueueError) -> Bool
}

/// What became of a submission.
public enum EnqueueOutcome: Sendable, Equatable {
    /// Accepted for good, under its own id.
    case accepted
    /// The same bundle was accepted before, under this id; the new bytes are not needed.
    case duplicate(of: CaptureID)
    /// A limit on queued captures or bytes is reached; nothing was kept.
    case full
}

/// How full the queue is.
public struct QueueLoad: Sendable, Equatable {
    /// Captures accepted and not settled, dead letters not counted.
    public var captures: Int
    /// Their bytes.
    public var bytes: Int
    /// Dead letters.
    public var deadLetters: Int
    /// Lanes that wait for a worker.
    public var readyLanes: Int
    /// Lanes that wait for their delay.
    public var delayedLanes: Int
    /// Lanes in workers' hands.
    public var leasedLanes: Int
    /// The most captures it takes.
    public var capturesMax: Int
    /// The most bytes it takes.
    public var bytesMax: Int
    /// Whether an operator has told the workers to claim nothing.
    public var isPaused: Bool
    /// How long the capture has been waiting, put off or worked that has been so for longest, of those at the heads of
    /// their lanes; `nil` when there is none.
    public var oldestLaneAge: Duration?

    /// Puts the figures together.
    public init(
        captures: Int, bytes: Int, deadLetters: Int, readyLanes: Int, delayedLanes: Int, leasedLanes: Int,
        capturesMax: Int, bytesMax: Int, isPaused: Bool = false, oldestLaneAge: Duration? = nil
    ) {
        self.captures = captures
        self.bytes = bytes
        self.deadLetters = deadLetters
        self.readyLanes = readyLanes
        self.delayedLanes = delayedLanes
        self.leasedLanes = leasedLanes
        self.capturesMax = capturesMax
        self.bytesMax = bytesMax
        self.isPaused = isPaused
        self.oldestLaneAge = oldestLaneAge
    }

    /// Whether one more capture of that size would be refused.
    public func isFull(adding bytes: Int) -> Bool {
        captures >= capturesMax || self.bytes.addingClamped(bytes) > bytesMax
    }
}
