import CaptureQueue
import CaptureStore
import Logging
import Observability
import Testing
import TestSupport
import Waiting

@testable import CaptureProcessing

@Suite("A worker that is to stop", .timeLimit(.minutes(1)))
struct GiveBackLimitTests {
    private func made(giveBackLimit: Duration, stop: Latch) -> Patience {
        let outages = OutageLogs(logger: Logger.quiet)
        return Patience(
            backoff: Backoff(base: .milliseconds(1), cap: .milliseconds(1)), hold: .seconds(600),
            giveBackLimit: giveBackLimit,
            stop: stop, isAwaited: { false }, redis: outages.redis, postgres: outages.postgres, bundles: outages.bundles
        )
    }

    /// Asks for a lane to be taken back by a queue that is away three times.
    private func giveBack(giveBackLimit: Duration) async -> Int? {
        let stop = Latch()
        stop.open()
        var calls = 0
        let patience = made(giveBackLimit: giveBackLimit, stop: stop)
        let outcome = await patience.withQueue(.untilDone) { () async throws(QueueError) in
            calls += 1
            guard calls > 3 else { throw QueueError(.unavailable, "connection refused") }
            return calls
        }
        guard case .done(let call) = outcome else { return nil }
        return call
    }

    @Test func `a stopping worker tries to give back what it holds for as long as it may, and no longer`() async {
        #expect(await giveBack(giveBackLimit: .seconds(600)) == 4)
        #expect(await giveBack(giveBackLimit: .zero) == nil)
    }

    @Test func `a stopping worker whose time is over holds what it does not wait for against no server`() async {
        let patience = made(giveBackLimit: .seconds(600), stop: Latch())
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await patience.withQueue(.untilDone) { () async throws(QueueError) -> Int in
                throw QueueError(.outcomeUnknown, "the calling task was cancelled")
            }
        }
        guard case .away = await call.value else {
            Issue.record("an unexpected outcome")
            return
        }
        #expect(!patience.isQueueAway)
    }

    @Test func `a stopping worker hands back what meets a conflict, and puts it not off`() async {
        let stop = Latch()
        stop.open()
        let outcome = await made(giveBackLimit: .zero, stop: stop).withStore { () async throws(StoreError) -> Int in
            throw StoreError(.conflict, "canceling statement due to lock timeout")
        }
        guard case .away = outcome else {
            Issue.record("an unexpected outcome")
            return
        }
    }

    @Test(arguments: [.milliseconds(100), .seconds(25), .seconds(600)] as [Duration])
    func `a stopping worker may take most of the program's time for that, but not all of it`(limit: Duration) {
        var configuration = WorkerConfiguration(appIDs: [])
        configuration.stopLimit = limit
        #expect(configuration.giveBackLimit > limit / 2 && configuration.giveBackLimit < limit)
    }
}
