import CaptureModel
import CaptureStore
import DeviceSimulator
import Logging
import Observability
import Synchronization
import TestSupport
import Waiting

@testable import CaptureProcessing

/// A record that refuses what a test tells it to, in the time that it says, and notes in which order it was asked.
final class PickyStore: ForwardingStore {
    let memory = MemoryCaptureStore(time: { Timestamp(millisecondsSince1970: 0) })
    /// The clock that a refusal moves on.
    let time = ManualTime()
    private let refuses: @Sendable ([CaptureID]) -> StoreError?
    /// How long it takes to refuse so many.
    private let taking: @Sendable (Int) -> Duration
    /// Every batch that was asked about.
    let asked = Mutex<[[CaptureID]]>([])

    init(
        refuses: @escaping @Sendable ([CaptureID]) -> StoreError?,
        taking: @escaping @Sendable (Int) -> Duration = { _ in .zero }
    ) {
        self.refuses = refuses
        self.taking = taking
    }

    func settle(_ batch: [ExaminedCapture], policy: CounterPolicy) async throws(StoreError) -> [SettledCapture] {
        asked.withLock { $0.append(batch.map(\.job.id)) }
        if let fault = refuses(batch.map(\.job.id)) {
            time.advance(by: taking(batch.count))
            throw fault
        }
        return try await memory.settle(batch, policy: policy)
    }
}

extension Work {
    /// Captures of as many devices.
    static func captures(_ count: Int, seed: UInt64) -> [ExaminedCapture] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).compactMap { _ in Work.capture(Work.job(bytes: 1, generator: &generator)) }
    }
}

extension BatchDecision {
    /// The devices that a conflict keeps undecided.
    var conflicts: Set<DeviceID> { Set(deviceFaults.filter { $0.value.isConflict }.keys) }
}

extension RetryRule {
    /// One that puts a lane off by as many seconds as its head has attempts.
    static func seconds(upTo attemptsMax: Int) -> RetryRule {
        RetryRule(attemptsMax: attemptsMax) { .seconds($0) }
    }
}

extension Patience {
    /// One that tries again at once, for as long as a batch is held by that clock.
    static func toRecord(hold: Duration, isAwaited: Bool = false, by time: ManualTime = ManualTime()) -> Patience {
        let outages = OutageLogs(logger: .quiet)
        return Patience(
            backoff: Backoff(base: .milliseconds(1), cap: .milliseconds(1)), hold: hold, giveBackLimit: .zero,
            stop: Latch(), isAwaited: { isAwaited }, redis: outages.redis, postgres: outages.postgres,
            bundles: outages.bundles, now: { time.monotonic }
        )
    }
}
