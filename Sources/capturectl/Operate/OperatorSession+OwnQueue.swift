import CaptureModel
import CaptureQueue
import RedisCaptureQueue

extension OperatorSession {
    /// The queue for commands that change it, if it was not yet confirmed as the record's: each call checks first.
    ///
    /// A server that did not answer before the command may be slow again while it runs.
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

        func load() async throws(QueueError) -> QueueLoad { try await own().load() }

        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
            try await own().status(of: captures)
        }

        func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
            try await own().deadLetters(after: after, limit: limit)
        }

        func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? {
            try await own().deadLetter(capture)
        }

        func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool { try await own().redrive(capture) }

        func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
            try await own().discard(letter)
        }
    }
}
