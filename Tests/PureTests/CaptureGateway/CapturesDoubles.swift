import CaptureModel
import CaptureQueue
import CaptureStore
import FoundationEssentials
import Synchronization
import TestSupport

/// Where a call waits until a test lets it go on.
final class Gate: Sendable {
    private let arrivals = AsyncStream<Void>.makeStream()
    private let departures = AsyncStream<Void>.makeStream()

    /// Waits until the gate is opened.
    func pass() async {
        arrivals.continuation.yield()
        for await _ in departures.stream {}
    }

    /// Returns when somebody waits.
    func untilReached() async {
        for await _ in arrivals.stream { return }
    }

    /// Lets everybody through.
    func open() { departures.continuation.finish() }
}

/// The ledger in memory, of which a test may hold back whoever claims rows.
final class GatedLedger: IntakeLedger {
    let memory: MemoryIntakeLedger
    private let gate = Mutex<Gate?>(nil)
    private let lookGate = Mutex<Gate?>(nil)

    init(_ memory: MemoryIntakeLedger) {
        self.memory = memory
    }

    func hold(claimsAt gate: Gate) { self.gate.withLock { $0 = gate } }
    func hold(looksAt gate: Gate) { lookGate.withLock { $0 = gate } }

    func claim(_ captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry] {
        await gate.withLock { $0 }?.pass()
        return try await memory.claim(captures)
    }
    func entries(of captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry] {
        try await memory.entries(of: captures)
    }

    func record(_ submissions: [CaptureSubmission]) async throws(StoreError) -> [IntakeOutcome] {
        try await memory.record(submissions)
    }
    func withdraw(_ capture: CaptureID) async throws(StoreError) -> Bool { try await memory.withdraw(capture) }
    func handRow(of capture: CaptureID, to other: CaptureID, receivedAt: Timestamp) async throws(StoreError) -> Bool {
        try await memory.handRow(of: capture, to: other, receivedAt: receivedAt)
    }
    func discard(_ capture: CaptureID) async throws(StoreError) -> IntakeEntry? { try await memory.discard(capture) }
    func reinstate(_ row: IntakeEntry) async throws(StoreError) { try await memory.reinstate(row) }
    func openIntake(after: Int64, olderThan: Duration, limit: Int) async throws(StoreError) -> [OpenIntake] {
        try await memory.openIntake(after: after, olderThan: olderThan, limit: limit)
    }
    func accepted(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID: AcceptedIntake] {
        await lookGate.withLock { $0 }?.pass()
        return try await memory.accepted(captures)
    }
    func noteDead(_ captures: [CaptureID]) async throws(StoreError) { try await memory.noteDead(captures) }
    func purge(closedFor age: Duration, limit: Int) async throws(StoreError) -> Int {
        try await memory.purge(closedFor: age, limit: limit)
    }
    func exclusively<Value: Sendable>(_ body: @Sendable () async -> Value) async throws(StoreError) -> Value? {
        try await memory.exclusively(body)
    }
}

/// Bytes in memory whose store can be told to be away, or to fail halfway through.
final class FaultyBundles: ForwardingBundles {
    let memory: MemoryBundleStore
    private let fault = Mutex<QueueError?>(nil)
    private let outage = Mutex<QueueError?>(nil)
    private let calls = Mutex(0)

    /// How often bytes were stored.
    var puts: Int { calls.withLock { $0 } }

    init(_ memory: MemoryBundleStore) {
        self.memory = memory
    }

    /// Fails once the bytes are stored.
    func fail(puttingWith fault: QueueError?) { self.fault.withLock { $0 = fault } }
    /// Neither stores nor removes anything.
    func fail(everythingWith outage: QueueError?) { self.outage.withLock { $0 = outage } }

    private func answer() throws(QueueError) {
        if let outage = outage.withLock({ $0 }) { throw outage }
    }

    func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        calls.withLock { $0 += 1 }
        try answer()
        try await memory.put(media, of: submission)
        if let fault = fault.withLock({ $0 }) { throw fault }
    }

    func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try answer()
        try await memory.remove(submission)
    }
}

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
        /// Nothing is done once ``release()`` says so.
        case heldAndAway
    }

    let memory: MemoryCaptureQueue
    private let state = FaultState()

    private final class FaultState: Sendable {
        let looks = Mutex(0)
        let enqueueFault = Mutex<Fault?>(nil)
        let isSilent = Mutex(false)
        let gate = Gate()
        let lost = Mutex<CaptureID?>(nil)
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
    /// Takes every bundle for that of a capture of which nothing is known, until it is told to forget that.
    func lose(_ capture: CaptureID) { state.lost.withLock { $0 = capture } }

    private func answer() throws(QueueError) {
        if state.isSilent.withLock({ $0 }) { throw QueueError(.unavailable, "the server at 10.0.0.7 is away") }
    }

    func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool {
        try answer()
        return state.lost.withLock { lost in
            guard lost == capture else { return false }
            lost = nil
            return true
        }
    }

    func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
        try answer()
        if let lost = state.lost.withLock({ $0 }) { return .duplicate(of: lost) }
        switch state.enqueueFault.withLock({ $0 }) {
        case .away: throw QueueError(.unavailable, "away")
        case .restoring: throw QueueError(.restoring, "restoring")
        case .answerLost:
            _ = try await memory.enqueue(submission)
            throw QueueError(.outcomeUnknown, "the connection broke")
        case .held:
            await state.gate.pass()
            return try await memory.enqueue(submission)
        case .heldAndAway:
            await state.gate.pass()
            throw QueueError(.unavailable, "away")
        case nil: return try await memory.enqueue(submission)
        }
    }

    func load() async throws(QueueError) -> QueueLoad {
        try answer()
        return try await memory.load()
    }

    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
        state.looks.withLock { $0 += 1 }
        try answer()
        return try await memory.status(of: captures)
    }
}

/// News that a test tells by hand, and knows when somebody listens.
final class MemoryStateChanges: StateChanges {
    private let watchers = Mutex<[CaptureID: [AsyncStream<StateChange>.Continuation]]>([:])
    private let hearers = Mutex<[AsyncStream<StateChange>.Continuation]>([])
    private let listening: AsyncStream<CaptureID>
    private let listened: AsyncStream<CaptureID>.Continuation

    init() {
        (listening, listened) = AsyncStream.makeStream()
    }

    func changes(of capture: CaptureID) -> AsyncStream<StateChange>? {
        let (stream, continuation) = AsyncStream<StateChange>.makeStream()
        watchers.withLock { $0[capture, default: []].append(continuation) }
        listened.yield(capture)
        return stream
    }

    func allChanges() -> AsyncStream<StateChange>? {
        let (stream, continuation) = AsyncStream<StateChange>.makeStream()
        hearers.withLock { $0.append(continuation) }
        return stream
    }

    /// Whether somebody hears all changes.
    var isHeard: Bool { hearers.withLock { !$0.isEmpty } }

    /// Returns when somebody watches the capture.
    func untilWatched(_ capture: CaptureID) async {
        for await watched in listening where watched == capture { return }
    }

    func tell(_ change: StateChange) {
        let told = watchers.withLock { $0[change.capture] ?? [] }
        for watcher in told + hearers.withLock({ $0 }) { watcher.yield(change) }
    }
}

struct NoLimit: RateLimiter {
    func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision { .allowed }
}

extension [UInt8] {
    var base64: String { Data(self).base64EncodedString() }
}
