import CaptureModel
import CaptureStore
import Synchronization
import TestSupport

/// The ledger in memory, of which a test may hold back whoever records, claims or passes rows, or looks at them.
final class GatedLedger: IntakeLedger {
    let memory: MemoryIntakeLedger
    private let recordGate = Mutex<Gate?>(nil)
    private let gate = Mutex<Gate?>(nil)
    private let lookGate = Mutex<Gate?>(nil)
    private let passGate = Mutex<Gate?>(nil)

    init(_ memory: MemoryIntakeLedger) {
        self.memory = memory
    }

    /// Before anything of a group is recorded.
    func hold(recordsAt gate: Gate) { recordGate.withLock { $0 = gate } }
    func hold(claimsAt gate: Gate) { self.gate.withLock { $0 = gate } }
    func hold(looksAt gate: Gate) { lookGate.withLock { $0 = gate } }
    func hold(passesAt gate: Gate) { passGate.withLock { $0 = gate } }

    func claim(_ captures: [CaptureID]) async throws(StoreError) -> IntakeClaim {
        await gate.withLock { $0 }?.pass()
        return try await memory.claim(captures)
    }
    func entries(of captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry] {
        try await memory.entries(of: captures)
    }

    func record(
        _ submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        await recordGate.withLock { $0 }?.pass()
        return try await memory.record(submissions, lockWait: lockWait)
    }
    func record(
        byDigestAlone submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        await recordGate.withLock { $0 }?.pass()
        return try await memory.record(byDigestAlone: submissions, lockWait: lockWait)
    }
    func withdraw(_ capture: CaptureID) async throws(StoreError) -> Bool { try await memory.withdraw(capture) }
    func passRow(of capture: CaptureID, to other: CaptureID, receivedAt: Timestamp) async throws(StoreError) -> Bool {
        await passGate.withLock { $0 }?.pass()
        return try await memory.passRow(of: capture, to: other, receivedAt: receivedAt)
    }
    func discard(_ capture: CaptureID) async throws(StoreError) -> IntakeEntry? { try await memory.discard(capture) }
    func reinstate(_ row: IntakeEntry) async throws(StoreError) { try await memory.reinstate(row) }
    func openIntake(after: Int64, olderThan: Duration, limit: Int) async throws(StoreError) -> [OpenIntake] {
        try await memory.openIntake(after: after, olderThan: olderThan, limit: limit)
    }
    func newestPlace() async throws(StoreError) -> Int64 { try await memory.newestPlace() }
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
