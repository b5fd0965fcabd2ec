public import CaptureModel

/// What anybody may ask the queue: how full it is, and where captures stand.
public protocol ReadableQueue: Sendable {
    /// How full the queue is, in O(1).
    func load() async throws(QueueError) -> QueueLoad

    /// Where captures stand, in the order asked; `nil` for ids that the queue no longer or never knew.
    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?]
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
