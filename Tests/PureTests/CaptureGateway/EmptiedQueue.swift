import CaptureModel
import CaptureQueue
import FaultPoints
import Foundation
import Logging
import Synchronization
import TestSupport

@testable import CaptureGateway

/// A queue of many partitions that has lost everything, and remembers what is put back.
final class EmptiedQueue: RestorableQueue {
    private struct State {
        var asked = 0
        var looks = 0
        var restored: [Int: [CaptureID]] = [:]
        var finished: Set<Int> = []
        var redriven: [CaptureID] = []
    }

    private let partitions: Int
    /// Whose bytes are gone.
    private let lost: [CaptureID]
    /// The partition that refuses to take anything back.
    private let refusing: Int?
    /// Its dead letters, which it tells whatever it has told before.
    private let deadLetters: [DeadLetter.Position]
    /// Those dead letters whose job somebody has written over.
    private let damaged: Set<CaptureID>
    /// What happens whenever a page is looked at.
    private let meanwhile: @Sendable () async -> Void
    private let state = Mutex(State())

    init(
        partitions: Int, lost: [CaptureID] = [], refusing: Int? = nil, deadLetters: [DeadLetter.Position] = [],
        damaged: Set<CaptureID> = [], meanwhile: @escaping @Sendable () async -> Void = {}
    ) {
        self.partitions = partitions
        self.lost = lost
        self.refusing = refusing
        self.deadLetters = deadLetters
        self.damaged = damaged
        self.meanwhile = meanwhile
    }

    /// How often it was asked for a device's partition.
    var asked: Int { state.withLock { $0.asked } }
    /// How often somebody asked where the partitions stand.
    var looks: Int { state.withLock { $0.looks } }
    /// What was put back into each partition, in that order.
    var restored: [Int: [CaptureID]] { state.withLock { $0.restored } }
    /// Which partitions are open again.
    var finished: Set<Int> { state.withLock { $0.finished } }
    /// The dead letters that were put back.
    var redriven: [CaptureID] { state.withLock { $0.redriven } }

    func home(of device: DeviceID) -> Int { Int(device.uuid.uuid.0) % partitions }

    func partition(of device: DeviceID) -> Int {
        state.withLock { $0.asked += 1 }
        return home(of: device)
    }
    func restorations() async throws(QueueError) -> [Restoration] {
        state.withLock { $0.looks += 1 }
        return [Restoration](repeating: .unmarked, count: partitions)
    }
    func beginRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restoring(mark) }
    func finishRestoration(of partition: Int, mark: RestorationMark) async throws(QueueError) -> Restoration {
        state.withLock { _ = $0.finished.insert(partition) }
        return .restored(mark)
    }
    func note(refused: [Int: QueueError]) {}
    func presence(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [Presence] {
        await meanwhile()
        return captures.map { _ in .unknown }
    }
    func deadLetterPlaces(
        in: Int, after: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position] { deadLetters }
    func redrive(_ capture: CaptureID, in: Int) async throws(QueueError) -> Bool {
        if damaged.contains(capture) { throw QueueError(.refused, "DAMAGED") }
        state.withLock { $0.redriven.append(capture) }
        return true
    }
    func restore(
        _ captures: [LostCapture], in partition: Int, under: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] {
        if partition == refusing { throw QueueError(.refused, "DAMAGED") }
        state.withLock { $0.restored[partition, default: []] += captures.map(\.submission.id) }
        return captures.map { lost.contains($0.submission.id) ? .lost : .restored }
    }
}

extension EmptiedQueue {
    /// A walk over a ledger that puts captures back into this queue.
    func walk(
        _ ledger: MemoryIntakeLedger, _ store: MemoryCaptureStore = MemoryCaptureStore(time: ManualTime().source),
        logger: Logger = .quiet
    ) -> IntakeWalk {
        IntakeWalk(
            queue: self, ledger: ledger, store: store, bundles: MemoryBundleStore(), pageMax: 20,
            newMark: { RestorationMark(text: "00000000-0000-4000-8000-000000000001") }, faults: .none, logger: logger)
    }
}
