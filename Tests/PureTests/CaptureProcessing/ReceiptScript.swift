import AppleDeviceCheck
import CaptureModel
import CaptureStore
import Synchronization

/// One look for a receipt that is due.
enum ReceiptRound: Sendable {
    /// There is one, and Apple says this to it.
    case due(ReceiptAnswer, in: KeyEnvironment = .production)
    /// One receipt is due, Apple gives this answer, and the record refuses the settlement.
    case unsettled(ReceiptAnswer)
    case nothingDue
    case recordAway

    /// Whose receipt is due.
    var environment: KeyEnvironment? {
        switch self {
        case .due(_, let environment): environment
        case .unsettled: .production
        case .nothingDue, .recordAway: nil
        }
    }
}

/// A record and an Apple that say what a test wrote down.
final class ReceiptScript: ReceiptStore, ReceiptExchange {
    private struct State {
        var rounds: [ReceiptRound]
        var answer = ReceiptAnswer.refused
        var isTaken = true
        var asked: [Duration] = []
    }

    private let claims: [KeyEnvironment: ClaimedReceipt]
    private let clock: ImmediateClock
    private let state: Mutex<State>

    init(_ rounds: [ReceiptRound], claims: [KeyEnvironment: ClaimedReceipt], clock: ImmediateClock) {
        self.claims = claims
        self.clock = clock
        state = Mutex(State(rounds: rounds))
    }

    /// Whether there is nothing more to come.
    var isOver: Bool { state.withLock { $0.rounds.isEmpty } }
    /// When Apple was asked.
    var asked: [Duration] { state.withLock { $0.asked } }

    /// A round of an environment that is passed over stays for later.
    func claimReceipt(
        lease: Duration, token: Int64, passingOver environments: Set<KeyEnvironment>
    ) async throws(StoreError) -> ClaimedReceipt? {
        let next = state.withLock { state -> ReceiptRound in
            guard let environment = state.rounds[0].environment, environments.contains(environment) else {
                return state.rounds.removeFirst()
            }
            return .nothingDue
        }
        switch next {
        case .nothingDue: return nil
        case .recordAway: throw StoreError(.unavailable, "away")
        case .due(let answer, let environment): return due(answer, environment, isTaken: true)
        case .unsettled(let answer): return due(answer, .production, isTaken: false)
        }
    }

    private func due(_ answer: ReceiptAnswer, _ environment: KeyEnvironment, isTaken: Bool) -> ClaimedReceipt? {
        state.withLock { state in
            state.answer = answer
            state.isTaken = isTaken
        }
        return claims[environment]
    }

    func settle(
        _ claim: ClaimedReceipt, as settlement: ReceiptSettlement, at moment: Timestamp
    ) async throws(StoreError) -> Bool {
        guard state.withLock({ $0.isTaken }) else { throw StoreError(.unavailable, "away") }
        return true
    }

    func receipt(of device: DeviceID) async throws(StoreError) -> ReceiptStanding? { nil }

    func host(of environment: KeyEnvironment) -> String { "\(environment.rawValue).example" }

    func exchange(_ receipt: [UInt8], environment: KeyEnvironment) async -> ReceiptAnswer {
        let now = clock.now.offset
        return state.withLock { state -> ReceiptAnswer in
            state.asked.append(now)
            return state.answer
        }
    }
}

/// A clock that never waits, and ends whoever sleeps on it when the script is over.
struct EndingClock: Clock {
    let clock: ImmediateClock
    let script: ReceiptScript

    var now: ImmediateClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ImmediateClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline, tolerance: tolerance)
        if script.isOver { throw CancellationError() }
    }
}
