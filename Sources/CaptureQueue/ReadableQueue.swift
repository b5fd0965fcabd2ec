package import CaptureModel

/// What anybody may ask the queue: how full it is, and where captures stand.
package protocol ReadableQueue: Sendable {
    /// How full the queue is.
    ///
    /// The cost does not depend on how many captures wait; it grows with the queue's partitions, each of which is asked.
    func load() async throws(QueueError) -> QueueLoad

    /// Where captures stand, in the order asked; `nil` for ids that the queue no longer or never knew.
    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?]

    /// Where captures whose devices are known stand, in the order asked; `nil` for ids that the queue no longer or never
    /// knew.
    ///
    /// Only the devices' own partitions are asked: another one that refuses keeps nobody from the answer.
    func status(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [JobStatus?]
}

extension ReadableQueue {
    /// Where captures whose devices are known stand, in a queue that is not divided into partitions.
    package func status(
        of captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [JobStatus?] {
        try await status(of: captures.map(\.capture))
    }

    /// Where captures of one device stand, in the order asked; `nil` for ids that the queue no longer or never knew.
    package func status(of captures: [CaptureID], from device: DeviceID) async throws(QueueError) -> [JobStatus?] {
        try await status(of: captures.map { (capture: $0, device: device) })
    }

    /// Where a device's capture stands; `nil` for an id that the queue no longer or never knew.
    package func status(of capture: CaptureID, from device: DeviceID) async throws(QueueError) -> JobStatus? {
        try await status(of: [capture], from: device).first ?? nil
    }

    /// Where a capture stands; `nil` for an id that the queue no longer or never knew.
    package func status(of capture: CaptureID) async throws(QueueError) -> JobStatus? {
        try await status(of: [capture]).first ?? nil
    }
}

/// How full the queue is.
package struct QueueLoad: Sendable, Equatable {
    /// Captures accepted and not settled, dead letters not counted.
    package var captures: Int
    /// Their bytes.
    package var bytes: Int
    /// Dead letters.
    package var deadLetters: Int
    /// Lanes that wait for a worker.
    package var readyLanes: Int
    /// Lanes that wait for their delay.
    package var delayedLanes: Int
    /// Lanes in workers' hands.
    package var leasedLanes: Int
    /// The most captures it takes.
    package var capturesMax: Int
    /// The most bytes it takes.
    package var bytesMax: Int
    /// The share of its limits that the fullest partition uses, of captures or bytes, whichever is higher.
    ///
    /// At 1 uploads of the partition's devices are refused, however much room the others have.
    package var fill: Double
    /// Whether an operator has told the workers to claim nothing.
    package var isPaused: Bool
    /// The age of the oldest capture at the head of a lane; `nil` when there is none.
    ///
    /// It counts from when the capture was received, or from when it was redriven.
    package var oldestLaneAge: Duration?

    /// Memberwise.
    /// - Parameter fill: The fullest partition's fill; by default computed as for a single partition.
    package init(
        captures: Int, bytes: Int, deadLetters: Int, readyLanes: Int, delayedLanes: Int, leasedLanes: Int,
        capturesMax: Int, bytesMax: Int, fill: Double? = nil, isPaused: Bool = false, oldestLaneAge: Duration? = nil
    ) {
        self.captures = captures
        self.bytes = bytes
        self.deadLetters = deadLetters
        self.readyLanes = readyLanes
        self.delayedLanes = delayedLanes
        self.leasedLanes = leasedLanes
        self.capturesMax = capturesMax
        self.bytesMax = bytesMax
        self.fill =
            fill ?? Self.fill(captures: captures, capturesMax: capturesMax, bytes: bytes, bytesMax: bytesMax)
        self.isPaused = isPaused
        self.oldestLaneAge = oldestLaneAge
    }

    /// The share that is in use, of captures or bytes, whichever is higher; 0 without limits.
    package static func fill(captures: Int, capturesMax: Int, bytes: Int, bytesMax: Int) -> Double {
        max(
            capturesMax > 0 ? Double(captures) / Double(capturesMax) : 0,
            bytesMax > 0 ? Double(bytes) / Double(bytesMax) : 0)
    }

    /// Whether one more capture of that size would be refused.
    package func isFull(adding bytes: Int) -> Bool {
        captures >= capturesMax || self.bytes.addingClamped(bytes) > bytesMax
    }
}
