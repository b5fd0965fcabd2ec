import CaptureModel
import CaptureQueue
import Synchronization
import TestSupport

/// Challenges in memory, with a fault on demand.
final class MemoryChallengeStore: ChallengeStore {
    private let time: ManualTime
    private let issued = Mutex<[[UInt8]: Timestamp]>([:])
    private let fault = Mutex<QueueError?>(nil)

    init(time: ManualTime) { self.time = time }

    func fail(with fault: QueueError?) { self.fault.withLock { $0 = fault } }

    func issue(_ challenge: [UInt8], lifetime: Duration) async throws(QueueError) {
        if let fault = fault.withLock({ $0 }) { throw fault }
        issued.withLock { $0[challenge] = time.now.advanced(by: lifetime) }
    }

    func consume(_ challenge: [UInt8]) async throws(QueueError) -> Bool {
        if let fault = fault.withLock({ $0 }) { throw fault }
        guard let end = issued.withLock({ $0.removeValue(forKey: challenge) }) else { return false }
        return time.now < end
    }
}

/// Request counts in memory: exact times of a sliding window.
final class MemoryRateLimiter: RateLimiter {
    private let time: ManualTime
    private let admitted = Mutex<[String: [Timestamp]]>([:])

    init(time: ManualTime) { self.time = time }

    func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision {
        let now = time.now
        return admitted.withLock { admitted in
            let recent = admitted[client, default: []].filter { now.since($0) < window }
            guard recent.count < limit else {
                let oldest = recent.first ?? now
                return .limited(retryAfter: window - now.since(oldest))
            }
            admitted[client] = recent + [now]
            return .allowed
        }
    }
}

/// News that never come.
struct NoStateChanges: StateChanges {
    func changes(of capture: CaptureID) -> AsyncStream<StateChange>? { nil }
    func allChanges() -> AsyncStream<StateChange>? { nil }
}

/// A queue whose every call fails, at once or only after it was cancelled.
struct AwayQueue: CaptureQueue {
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
    func load() async throws(QueueError) -> QueueLoad { try await fail() }
    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] { try await fail() }
    func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease] {
        try await fail()
    }
    func hasLapsedLanes() async throws(QueueError) -> Bool { try await fail() }
    func takeOver() async throws(QueueError) -> Lease? { try await fail() }
    func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] { try await fail() }
    func promote() async throws(QueueError) -> Int { try await fail() }
    func abandon(_ tokens: [LaneToken]) {}
    func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
        try await fail()
    }
    func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? { try await fail() }
    func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool { try await fail() }
    func discard(_ capture: CaptureID) async throws(QueueError) -> Bool { try await fail() }
}
