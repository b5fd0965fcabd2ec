import AppAttest
import CaptureModel
import CaptureStore
import DeviceCheck
import DeviceSimulator
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite(.timeLimit(.minutes(1))) struct `A renewer of receipts, from round to round` {
    private static let alarmPause = Duration.seconds(900)
    private let bench: ReceiptBench
    private let root: TrustRoot

    init() throws {
        bench = try ReceiptBench()
        root = try TrustRoot(pem: bench.authority.rootPEM)
    }

    /// Lets a renewer run until the rounds are over.
    private func run(
        _ rounds: [ReceiptRound]
    ) async throws -> (log: LogRecorder, clock: ImmediateClock, asked: [Duration]) {
        let (log, clock) = (LogRecorder(), ImmediateClock())
        let script = Script(rounds, claim: try claim(), clock: clock)
        var configuration = ReceiptRenewerConfiguration(
            keys: TrustedKeys(
                appIDs: [ReceiptBench.app.text], environments: [.production], trustRoots: [root.sha256]),
            teamID: "TEAM123456")
        configuration.roots = [root]
        configuration.alarmPause = Self.alarmPause
        let renewer = ReceiptRenewer(
            store: script, exchange: script, configuration: configuration, now: { Timestamp(ReceiptBench.moment) },
            random: { 0 }, logger: log.logger, clock: EndingClock(clock: clock, script: script))
        try await renewer.run()
        return (log, clock, script.asked)
    }

    private func claim() throws -> ClaimedReceipt {
        let now = Timestamp(ReceiptBench.moment)
        let device = Device(
            id: DeviceID(UUID()), keyID: bench.device.keyID, algorithm: .p256, publicKey: bench.device.publicKey,
            level: .secureEnclave, environment: .production, appID: ReceiptBench.app.text,
            trustRoot: root.recordedName, unverifiedReason: nil, platform: "ios", model: bench.device.model,
            hasLidar: true, revokedAt: nil, registeredAt: now)
        return ClaimedReceipt(
            token: 1, device: device, clientDataHash: ReceiptBench.hash, receipt: try bench.issuer.sign(bench.content),
            receivedAt: now, notBefore: nil, attempts: 0)
    }

    @Test func `says once that Apple refuses the key, and asks nothing for a while each time`() async throws {
        let (log, clock, asked) = try await run([.due(.unauthorized), .nothingDue, .due(.unauthorized)])
        #expect(log.lines == ["error receipts are not exchanged"])
        #expect(log.values(of: "fault") == ["Apple does not take the developer key"])
        #expect(clock.slept == [Self.alarmPause, .seconds(5), Self.alarmPause])
        #expect(asked == [.zero, Self.alarmPause + .seconds(5)])
    }

    @Test(arguments: [ReceiptAnswer.notYet, .unknown])
    func `goes on when Apple has taken the key again`(answer: ReceiptAnswer) async throws {
        let (log, _, _) = try await run([.due(.unauthorized), .nothingDue, .due(answer), .due(answer)])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
    }

    @Test(arguments: [
        ReceiptRound.nothingDue, .recordAway, .due(.unreachable("away")),
        .due(.overloaded(status: 503, retryAfter: nil)),
    ])
    func `does not take silence for a key that is taken`(round: ReceiptRound) async throws {
        let (log, _, _) = try await run([.due(.unauthorized), round, .nothingDue, .due(.unauthorized)])
        #expect(!log.lines.contains("notice receipts are exchanged again"))
    }

    @Test func `says once that Apple is not reached, and why, and once that it is again`() async throws {
        let (log, _, asked) = try await run([
            .due(.unreachable("connect timeout")), .nothingDue, .due(.unreachable("reset")), .due(.notYet),
            .due(.notYet),
        ])
        #expect(log.lines == ["warning Apple is not reached", "notice Apple is reached again"])
        #expect(log.values(of: "fault") == ["connect timeout"] && asked.count == 4)
    }

    @Test func `says once that the record is away, and that it goes on when nothing else is in its way`() async throws {
        let (log, _, _) = try await run([.recordAway, .recordAway, .nothingDue, .nothingDue])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
        let (both, _, _) = try await run([.due(.unauthorized), .recordAway, .nothingDue, .due(.notYet)])
        #expect(
            both.lines == [
                "error receipts are not exchanged", "error receipts are not exchanged",
                "notice receipts are exchanged again",
            ])
    }
}

/// One look for a receipt that is due.
enum ReceiptRound: Sendable {
    /// There is one, and Apple says this to it.
    case due(ReceiptAnswer)
    case nothingDue
    case recordAway
}

/// A record and an Apple that say what a test wrote down.
private final class Script: ReceiptStore, ReceiptExchange {
    private struct State {
        var rounds: [ReceiptRound]
        var answer = ReceiptAnswer.refused
        var asked: [Duration] = []
    }

    private let claim: ClaimedReceipt
    private let clock: ImmediateClock
    private let state: Mutex<State>

    init(_ rounds: [ReceiptRound], claim: ClaimedReceipt, clock: ImmediateClock) {
        self.claim = claim
        self.clock = clock
        state = Mutex(State(rounds: rounds))
    }

    /// Whether there is nothing more to come.
    var isOver: Bool { state.withLock { $0.rounds.isEmpty } }
    /// When Apple was asked.
    var asked: [Duration] { state.withLock { $0.asked } }

    func claimReceipt(lease: Duration, token: Int64) async throws(StoreError) -> ClaimedReceipt? {
        let round = state.withLock { $0.rounds.removeFirst() }
        switch round {
        case .nothingDue: return nil
        case .recordAway: throw StoreError(.unavailable, "away")
        case .due(let answer):
            state.withLock { $0.answer = answer }
            return claim
        }
    }

    func settle(
        _ claim: ClaimedReceipt, as settlement: ReceiptSettlement, at moment: Timestamp
    ) async throws(StoreError) -> Bool { true }

    func receipt(of device: DeviceID) async throws(StoreError) -> ReceiptStanding? { nil }

    func exchange(_ receipt: [UInt8], environment: CaptureModel.AttestEnvironment) async -> ReceiptAnswer {
        let now = clock.now.offset
        return state.withLock { state -> ReceiptAnswer in
            state.asked.append(now)
            return state.answer
        }
    }
}

/// A clock that never waits, and ends whoever sleeps on it when the script is over.
private struct EndingClock: Clock {
    let clock: ImmediateClock
    let script: Script

    var now: ImmediateClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ImmediateClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline, tolerance: tolerance)
        if script.isOver { throw CancellationError() }
    }
}
