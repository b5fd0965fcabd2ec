import CaptureModel
import CaptureQueue

/// News that never come.
struct NoStateChanges: StateChanges {
    func changes(of capture: CaptureID) -> AsyncStream<StateChange>? { nil }
    func allChanges() -> AsyncStream<StateChange>? { nil }
}

/// A queue whose every call fails, at once or only after it was cancelled.
struct AwayQueue: UploadQueue, DeadLetterQueue {
    /// Whether calls hang until they are cancelled.
    var hangs = false

    private func fail() async throws(QueueError) -> Never {
        if hangs {
            let (never, open) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            open.finish()
        }
        throw QueueError(.unavailable, "secret host is away")
    }

    func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome { try await fail() }
    func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool {
        try await fail()
    }
    func accepted(_ bundle: SHA256Digest) async throws(QueueError) -> CaptureID? { try await fail() }
    func job(of capture: CaptureID, from device: DeviceID) async throws(QueueError) -> ClaimedJob? {
        try await fail()
    }
    func load() async throws(QueueError) -> QueueLoad { try await fail() }
    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] { try await fail() }
    func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
        try await fail()
    }
    func deadLetterPlace(beforeNewest count: Int) async throws(QueueError) -> DeadLetter.Position? {
        try await fail()
    }
    func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? { try await fail() }
    func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool { try await fail() }
    func redrive(as submission: CaptureSubmission) async throws(QueueError) -> Bool { try await fail() }
    func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool { try await fail() }
}
