import CaptureModel
import CaptureQueue
import Synchronization
import TestSupport

/// A queue in memory that can be told to be away or to lose an answer.
struct FaultyQueue: ForwardingQueue {
    enum Fault: Sendable {
        /// Nothing is done.
        case away
        /// It is done, and nobody is told.
        case answerLost
        /// Captures that were accepted before come first.
        case restoring
        /// It is done once ``release()`` says so; ``untilHeld()`` returns when somebody waits.
        case held
        /// Nothing is done: somebody has written over a key.
        case damaged
        /// Nothing is done once ``release()`` says so.
        case heldAndAway
        /// Nothing is done: the queue takes none so large.
        case tooLarge(CaptureMedia.Part, bytesMax: Int)
    }

    let memory: MemoryCaptureQueue
    private let state = FaultState()

    private final class FaultState: Sendable {
        let looks = Mutex(0)
        let enqueueFault = Mutex<Fault?>(nil)
        let isSilent = Mutex(false)
        let tellsLoad = Mutex(true)
        let gate = Gate()
        let lost = Mutex<[CaptureID]>([])
    }

    /// How often it was asked where captures stand.
    var looks: Int { state.looks.withLock { $0 } }

    func untilHeld() async { await state.gate.untilReached() }

    func release() { state.gate.open() }

    init(_ memory: MemoryCaptureQueue) {
        self.memory = memory
    }

    func fail(enqueue fault: Fault?) { state.enqueueFault.withLock { $0 = fault } }
    func fail(everything isSilent: Bool) { state.isSilent.withLock { $0 = isSilent } }
    /// Refuses to tell how full it is, and nothing else.
    func refuseLoad() { state.tellsLoad.withLock { $0 = false } }
    /// Takes every bundle for that of a capture of which nothing is known, until it is told to forget that; then for
    /// that of the next one.
    func lose(_ captures: CaptureID...) { state.lost.withLock { $0 = captures } }

    private func answer() throws(QueueError) {
        if state.isSilent.withLock({ $0 }) { throw QueueError(.unavailable, "the server at 10.0.0.7 is away") }
    }

    func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool {
        try answer()
        return state.lost.withLock { lost in
            guard lost.first == capture else { return false }
            lost.removeFirst()
            return true
        }
    }

    func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
        try answer()
        if let lost = state.lost.withLock({ $0.first }) { return .duplicate(of: lost) }
        switch state.enqueueFault.withLock({ $0 }) {
        case .away: throw QueueError(.unavailable, "away")
        case .restoring: throw QueueError(.restoring, "restoring")
        case .damaged: throw QueueError(.refused, "DAMAGED {cq:0}:heads is of another type")
        case .answerLost:
            _ = try await memory.enqueue(submission)
            throw QueueError(.outcomeUnknown, "the connection broke")
        case .held:
            await state.gate.pass()
            return try await memory.enqueue(submission)
        case .heldAndAway:
            await state.gate.pass()
            throw QueueError(.unavailable, "away")
        case .tooLarge(let part, let bytesMax): return .tooLarge(part, bytesMax: bytesMax)
        case nil: return try await memory.enqueue(submission)
        }
    }

    func load() async throws(QueueError) -> QueueLoad {
        try answer()
        guard state.tellsLoad.withLock({ $0 }) else { throw QueueError(.refused, "a key is of another type") }
        return try await memory.load()
    }

    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
        state.looks.withLock { $0 += 1 }
        try answer()
        return try await memory.status(of: captures)
    }
}
