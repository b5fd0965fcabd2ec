package import CaptureModel

/// The queue as operators see it: its workers, its throughput, and whether it is paused.
package protocol OperatedQueue: DeadLetterQueue {
    /// How full the queue is, who works it and what became of the latest captures.
    ///
    /// The cost depends neither on how many captures wait nor on how many were settled.
    func overview() async throws(QueueError) -> QueueOverview

    /// The latest spans, oldest first, the running one last; spans in which nothing happened are there, too.
    /// - Parameter count: 1 to ``Tally/Span/countMax``; a higher number returns all that are kept.
    func tallies(_ span: Tally.Span, count: Int) async throws(QueueError) -> [Tally]

    /// Tells all workers to claim nothing, or to go on; they finish their leased lanes either way.
    /// - Parameter since: The moment of the pause as the audit has it, which is kept with the pause; `nil` ends it.
    func setPaused(since: Timestamp?) async throws(QueueError)

    /// The moments that the pauses of its partitions were noted at; none while nothing is paused.
    func pausedSince() async throws(QueueError) -> Set<Timestamp>
}

/// What an operator asks first.
package struct QueueOverview: Sendable, Equatable {
    /// How full the queue is.
    package let load: QueueLoad
    /// Its workers by name; one that has gone silent stays listed for ten minutes.
    package let workers: [WorkerStatus]
    /// The running minute and the whole one before it.
    package let lastMinute: Tally
    /// The running minute and the sixty before it.
    package let lastHour: Tally
    /// The running hour and the twenty-four before it.
    package let lastDay: Tally
    /// Since when these are counted, if that is within the last day.
    ///
    /// Before that the queue had lost its data, or was not there. Known only of queues that a ledger restores.
    package let countedSince: Timestamp?

    /// Memberwise.
    package init(
        load: QueueLoad, workers: [WorkerStatus], lastMinute: Tally, lastHour: Tally, lastDay: Tally,
        countedSince: Timestamp? = nil
    ) {
        self.load = load
        self.workers = workers
        self.lastMinute = lastMinute
        self.lastHour = lastHour
        self.lastDay = lastDay
        self.countedSince = countedSince
    }
}

/// A worker as the queue knows it by its signs of life.
package struct WorkerStatus: Sendable, Equatable {
    /// How long a worker may be silent and still count as alive.
    package static let silenceMax: Duration = .seconds(15)

    /// Its name, which is new at each start.
    package let name: String
    /// The version of its software.
    package let version: String
    /// When it started, by its own clock.
    package let startedAt: Timestamp
    /// How long ago it last gave a sign of life.
    package let silence: Duration
    /// Lanes in its hands.
    package let leasedLanes: Int

    /// Memberwise.
    package init(name: String, version: String, startedAt: Timestamp, silence: Duration, leasedLanes: Int) {
        self.name = name
        self.version = version
        self.startedAt = startedAt
        self.silence = silence
        self.leasedLanes = leasedLanes
    }

    /// Whether it has given a sign of life lately.
    package var isAlive: Bool { silence <= Self.silenceMax }
}
