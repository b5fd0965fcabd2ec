import CaptureModel
import CaptureQueue
import RedisCaptureQueue

extension OperatorSession {
    /// The queue for whoever changes it, where nobody has said yet whose it is: each call asks that first.
    ///
    /// A server that did not answer in time before the command may do so again while it runs.
    struct OwnQueue: OperatedQueue {
        let session: OperatorSession

        private func own() async throws(QueueError) -> any OperatedQueue {
            try await session.requireOwnQueue()
            return session.queue
        }

        func overview() async throws(QueueError) -> QueueOverview { try await own().overview() }

        func tallies(_ span: Tally.Span, count: Int) async throws(QueueError) -> [Tally] {
            try await own().tallies(span, count: count)
        }

        func setPaused(_ paused: Bool) async throws(QueueError) { try await own().setPaused(paused) }

        func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
            try await own().enqueue(submission)
        }

        func forget(
            _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
        ) async throws(QueueError) -> Bool {
            try await own().forget(bundle, of: device, acceptedAs: capture)
        }

        func load() async throws(QueueError) -> QueueLoad { try await own().load() }

        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
            try await own().status(of: captures)
        }

        func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease] {
            try await own().claim(lanesMax: lanesMax, capturesPerLaneMax: capturesPerLaneMax, wait: wait)
        }

        func hasLapsedLanes() async throws(QueueError) -> Bool { try await own().hasLapsedLanes() }

        func takeOver() async throws(QueueError) -> Lease? { try await own().takeOver() }

        func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
            try await own().settle(settlements)
        }

        func promote() async throws(QueueError) -> Int { try await own().promote() }

        func abandon(_ tokens: [LaneToken]) { session.queue.abandon(tokens) }

        func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
            try await own().deadLetters(after: after, limit: limit)
        }

        func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? {
            try await own().deadLetter(capture)
        }

        func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool { try await own().redrive(capture) }

        func discard(_ capture: CaptureID) async throws(QueueError) -> Bool { try await own().discard(capture) }
    }
}
