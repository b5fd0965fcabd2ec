@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Synchronization
import TestSupport
import Testing

@Suite("A conflict with what others do to the record", .timeLimit(.minutes(1)))
struct BatchConflictTests {
    private static let conflict = StoreError(
        .conflict, "canceling statement due to lock timeout", serverCode: "55P03")

    /// Tries again until the clock of the record has moved on by the hold.
    private func decided(
        _ store: PickyStore, _ captures: [ExaminedCapture], hold: Duration = .seconds(600)
    ) async -> BatchDecision {
        await BatchDecision.of(store, on: captures, .strict, Patience.toRecord(hold: hold, by: store.time))
    }

    @Test func `conflicts without an end put off what is not decided`() async {
        let store = PickyStore { _ in Self.conflict }
        let batch = Work.captures(4, seed: 2)
        let decided = await decided(store, batch)
        #expect(Set(decided.deviceFaults.keys) == Set(batch.map(\.job.device)))
        #expect(decided.deviceFaults.values.allSatisfy { $0.description.contains("55P03") })
        #expect(decided.refused.isEmpty && decided.extent != .partial)
        #expect(store.asked.withLock { $0.map(\.count) } == [4, 1, 1, 1, 1])
    }

    /// Nothing else goes on meanwhile, for as long as somebody holds the lock.
    @Test func `a conflict that is met alone is not tried again`() async {
        let store = PickyStore { _ in Self.conflict }
        let batch = Work.captures(1, seed: 3)
        let decided = await BatchDecision.of(
            store, on: batch, .strict, Patience.toRecord(hold: .seconds(600)), conflictsMax: 0)
        #expect(decided.conflicts == [batch[0].job.device] && decided.deviceFaults.count == 1)
        #expect(store.asked.withLock { $0.count } == 1)
    }

    /// Handed back, the locked lane would be claimed again at once, and keep the others from being decided for as long as
    /// suspects are waiting.
    @Test func `where a suspect waits a conflict is not tried again, and keeps nobody else from being decided`() async {
        let batch = Work.captures(3, seed: 4)
        let store = PickyStore { $0.contains(batch[1].job.id) ? Self.conflict : nil }
        let decided = await BatchDecision.of(
            store, on: batch, .strict, Patience.toRecord(hold: .seconds(600), isAwaited: true))
        #expect(Set(decided.settled.keys) == [batch[0].job.id, batch[2].job.id])
        #expect(decided.conflicts == [batch[1].job.device] && decided.extent != .partial)
        #expect(store.asked.withLock { $0.map(\.count) } == [3, 1, 1, 1])
        let alone = PickyStore { _ in Self.conflict }
        _ = await BatchDecision.of(
            alone, on: [batch[1]], .strict, Patience.toRecord(hold: .seconds(600), isAwaited: true))
        #expect(alone.asked.withLock { $0.count } == 1)
    }

    /// The lock timeout is a quarter of the time for which a batch is held.
    @Test func `conflicts that take all the time that there is are a fault all the same`() async {
        let store = PickyStore { _ in
            Self.conflict
        } taking: { _ in
            .milliseconds(50)
        }
        let decided = await decided(store, Work.captures(1, seed: 6), hold: .milliseconds(200))
        #expect(decided.deviceFaults.count == 1 && decided.extent == .late)
        #expect(store.asked.withLock { $0.count } == 4)
    }

    @Test func `what conflicts of others leave no time for is handed back, and costs nothing`() async {
        let store = PickyStore { _ in
            Self.conflict
        } taking: {
            $0 == 1 ? .seconds(5) : .zero
        }
        let batch = Work.captures(3, seed: 7)
        let decided = await decided(store, batch, hold: .seconds(5))
        #expect(Array(decided.deviceFaults.keys) == [batch[0].job.device])
        #expect(decided.extent == .partial)
        #expect(store.asked.withLock { $0.map(\.count) } == [3, 1])
    }

    /// As where a synchronous standby is missing: the commit hangs, and holds the locks that the next try waits for.
    @Test func `a conflict behind a commit that nobody answered for is the same outage`() async {
        let calls = Mutex(0)
        let store = PickyStore { _ in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard call > 1 else { return StoreError(.outcomeUnknown, "no answer in time") }
            return call > 3 * Patience.conflictsMax ? nil : Self.conflict
        }
        let batch = Work.captures(1, seed: 14)
        let decided = await decided(store, batch)
        #expect(decided.deviceFaults.isEmpty && decided.extent != .partial)
        #expect(Array(decided.settled.keys) == batch.map(\.job.id))
    }

    @Test func `an outage behind a commit without an answer that takes all the time hands the lane back`() async {
        let isFirst = Mutex(true)
        let store = PickyStore { _ in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? StoreError(.outcomeUnknown, "no answer in time") : Self.conflict
        } taking: { _ in
            .milliseconds(20)
        }
        let decided = await decided(store, Work.captures(1, seed: 15), hold: .milliseconds(200))
        #expect(decided.deviceFaults.isEmpty && decided.extent == .partial)
        // More often than a conflict of its own would be tried again.
        #expect(store.asked.withLock { $0.count } == 10)
    }

    @Test(
        arguments: [
            (Self.conflict, false), (StoreError(.malformedRow, "column verdict holds an unknown value"), true),
        ] as [(StoreError, Bool)])
    func `of a conflict no capture dies, however often it is met, and of another fault it does`(
        fault: StoreError, dies: Bool
    ) async {
        var generator = SeededGenerator(seed: 16)
        let device = DeviceID.make(using: &generator)
        let jobs = [Work.job(of: device, bytes: 1, attempts: 2, generator: &generator)]
        let captures = jobs.compactMap(Work.capture)
        let decided = await decided(PickyStore { _ in fault }, captures)
        let lease = Work.lease(1, jobs, generator: &generator)
        let settlement = LaneConclusion(
            portion: LanePortion(lease: lease, jobs: jobs[...]), conclusions: captures.map { .examined($0) }
        ).settlement(recall: Recall(), decided: decided, retries: .seconds(upTo: 2))
        let dead = LaneSettlement.Disposition.dead(.attemptsExhausted, fault: "\(fault)")
        #expect(settlement.items.map(\.disposition) == (dies ? [dead] : []))
        let putOff = LaneSettlement.Continuation.delayed(.seconds(2), fault: "\(fault)", isAttempt: false)
        #expect(settlement.continuation == (dies ? .handedBack : putOff))
    }

    /// The others are for faults of the capture's own, which a try or two may mend.
    @Test(arguments: [(1, true), (6, true), (7, false), (30, false)])
    func `a conflict uses up half of the attempts and no more`(attempts: Int, isAttempt: Bool) {
        var generator = SeededGenerator(seed: 17)
        let jobs = [Work.job(bytes: 1, attempts: attempts, generator: &generator)]
        let lane = LaneConclusion(
            portion: LanePortion(lease: Work.lease(1, jobs, generator: &generator), jobs: jobs[...]), conclusions: [])
        let settlement = lane.putOff(for: Patience.Fault("locked", conflict: .tooOften), retries: .seconds(upTo: 12))
        #expect(settlement.continuation == .delayed(.seconds(attempts), fault: "locked", isAttempt: isAttempt))
    }

    @Test func `a conflict puts only the device off that meets it, and no later capture overtakes`() async {
        var generator = SeededGenerator(seed: 8)
        let (locked, free) = (DeviceID.make(using: &generator), DeviceID.make(using: &generator))
        let jobs = [locked, free, locked, free].map { Work.job(of: $0, bytes: 1, generator: &generator) }
        let ids = jobs.map(\.id)
        let store = PickyStore { $0.contains(ids[0]) ? Self.conflict : nil }
        let decided = await decided(store, jobs.compactMap(Work.capture))
        #expect(Set(decided.settled.keys) == [ids[1], ids[3]])
        #expect(Array(decided.deviceFaults.keys) == [locked] && decided.extent != .partial)
        #expect(store.asked.withLock { $0 } == [ids, [ids[0], ids[2]], [ids[1], ids[3]]])
    }

    @Test func `behind a conflict its device's captures wait, also in a part that was cut off before`() async {
        var generator = SeededGenerator(seed: 9)
        let (odd, locked, free) = (
            DeviceID.make(using: &generator), DeviceID.make(using: &generator), DeviceID.make(using: &generator)
        )
        let jobs = [odd, locked, locked, free].map { Work.job(of: $0, bytes: 1, generator: &generator) }
        let ids = jobs.map(\.id)
        let store = PickyStore { asked in
            if asked.contains(ids[0]) { return StoreError(.refused, "no") }
            return asked.contains(ids[1]) ? Self.conflict : nil
        }
        let decided = await decided(store, jobs.compactMap(Work.capture))
        #expect(Array(decided.refused.keys) == [ids[0]] && Array(decided.deviceFaults.keys) == [locked])
        #expect(Array(decided.settled.keys) == [ids[3]])
        #expect(store.asked.withLock { $0.last } == [ids[3]])
    }
}
