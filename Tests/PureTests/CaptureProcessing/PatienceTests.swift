import CaptureQueue
import CaptureStore
import Observability
import Testing
import TestSupport
import Waiting

@testable import CaptureProcessing

@Suite("A worker that tries again", .timeLimit(.minutes(1)))
struct PatienceTests {
    private let recorder = LogRecorder()

    private func made(isAwaited: Bool = false, time: ManualTime? = nil) -> Patience {
        let outages = OutageLogs(logger: recorder.logger) { time?.monotonic ?? .now }
        return Patience(
            backoff: Backoff(base: .milliseconds(1), cap: .milliseconds(1)), hold: .seconds(600),
            giveBackLimit: .seconds(600), stop: Latch(), isAwaited: { isAwaited }, redis: outages.redis,
            postgres: outages.postgres, bundles: outages.bundles)
    }

    @Test(arguments: [(.busy, false), (.unavailable, true), (.outcomeUnknown, true)] as [(StoreError.Code, Bool)])
    func `a worker that tries again calls the record away when it is, not while a connection is waited for`(
        code: StoreError.Code, isAway: Bool
    ) async {
        let patience = made()
        var faults = 3
        let outcome = await patience.withStore { () async throws(StoreError) -> Bool in
            if takeOne(of: &faults) { throw StoreError(code, "too many calls wait") }
            return true
        }
        guard case .done(true) = outcome else {
            Issue.record("it was not tried again")
            return
        }
        #expect(recorder.lines.first == (isAway ? "error postgres is away; waiting for it" : nil))
    }

    /// A queue may hold captures of both stores, and Redis answers all the while.
    @Test(arguments: [false, true])
    func `what Redis gives ends no outage of the bundle directory, but that of its own refusal`(isOfRedis: Bool) async {
        let time = ManualTime()
        let patience = made(time: time)
        var faults = 1
        if isOfRedis {
            _ = await patience.withBundles(areInRedis: true) { () async throws(QueueError) -> Bool in
                if takeOne(of: &faults) { throw QueueError(.refused, "NOPERM") }
                // Beyond the calm after which an outage is over.
                time.advance(by: .seconds(60))
                return true
            }
        } else {
            patience.bundles.away("not mounted")
            time.advance(by: .seconds(60))
            _ = await patience.withBundles(areInRedis: true) { () async throws(QueueError) -> Bool in true }
        }
        #expect(patience.bundles.isAway == !isOfRedis, "\(recorder.lines)")
    }

    /// A worker asks the queue for lapsed lanes all the while.
    @Test func `a refusal of Redis to give bytes ends with bytes, whatever the queue has told meanwhile`() async {
        let time = ManualTime()
        let patience = made(time: time)
        var faults = 1
        _ = await patience.withBundles(areInRedis: true) { () async throws(QueueError) -> Bool in
            if takeOne(of: &faults) { throw QueueError(.refused, "NOPERM") }
            _ = await patience.withQueue(.untilStop, isReading: true) { () async throws(QueueError) -> Bool in true }
            #expect(patience.bundles.isAway)
            // Beyond the calm after which an outage is over.
            time.advance(by: .seconds(60))
            return true
        }
        #expect(!patience.bundles.isAway, "\(recorder.lines)")
    }

    /// The lock may be held for as long as somebody likes, and meanwhile nobody could take over what a worker has lost.
    @Test func `a worker does not try again in a conflict where somebody waits for what is under way to end`() async {
        let patience = made(isAwaited: true)
        var tries = 0
        let outcome = await patience.withStore { () async throws(StoreError) -> Bool in
            tries += 1
            throw StoreError(.conflict, "locked")
        }
        guard case .fault(let fault) = outcome, fault.isConflict else {
            Issue.record("it was not given up: \(outcome)")
            return
        }
        #expect(tries == 1)
        #expect(recorder.lines.isEmpty)
    }

    @Test(
        arguments: [
            (.busy, false), (.starting, false), (.restoring, false), (.tooFewReplicas, false), (.unavailable, true),
            (.outcomeUnknown, true),
        ] as [(QueueError.Code, Bool)])
    func `a worker that tries again calls the queue away when it is, not while it only has to wait`(
        code: QueueError.Code, isAway: Bool
    ) async {
        let patience = made()
        var faults = 3
        let outcome = await patience.withQueue(.hold) { () async throws(QueueError) -> Bool in
            if takeOne(of: &faults) { throw QueueError(code, "put off") }
            return true
        }
        guard case .done(true) = outcome else {
            Issue.record("it was not tried again")
            return
        }
        #expect(recorder.lines.first == (isAway ? "error redis is away; waiting for it" : nil))
    }

    @Test func `a bundle directory that is away is no outage of the queue`() async {
        let patience = Patience.toRecord(hold: .zero)
        _ = await patience.withBundles(areInRedis: false) { () async throws(QueueError) -> Int in
            #expect(!patience.isQueueAway)
            throw QueueError(.unavailable, "not mounted", of: .bundles)
        }
        #expect(!patience.isQueueAway && patience.bundles.isAway)
        _ = await patience.withBundles(areInRedis: true) { () async throws(QueueError) -> Int in
            throw QueueError(.unavailable, "connection refused")
        }
        #expect(patience.isQueueAway)
    }

    @Test func `a store that refuses everybody is waited for, and no capture's fault`() async {
        var calls = 0
        let patient = Patience.toRecord(hold: .seconds(600))
        let outcome = await patient.withBundles(areInRedis: true) { () async throws(QueueError) in
            calls += 1
            guard calls > 2 else { throw QueueError(.refused, "NOPERM no permission to run the 'get' command") }
            return calls
        }
        guard case .done(3) = outcome else {
            Issue.record("an unexpected outcome")
            return
        }
        let hasty = Patience.toRecord(hold: .zero)
        let refused = await hasty.withBundles(areInRedis: true) { () async throws(QueueError) -> Int in
            throw QueueError(.refused, "NOPERM no permission to run the 'get' command")
        }
        guard case .away = refused else {
            Issue.record("an unexpected outcome")
            return
        }
    }
}

private func takeOne(of count: inout Int) -> Bool {
    guard count > 0 else { return false }
    count -= 1
    return true
}
