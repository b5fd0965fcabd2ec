import CaptureModel
import CaptureStore
import Waiting

/// Decides how long a worker leaves Apple's servers alone, separately for each environment.
///
/// It has no clock, no randomness, no input or output.
struct ReceiptPace<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// Consecutive answers that a receipt does not get from the right server.
    private struct Misses {
        var refused = 0
        var unknown = 0
    }

    private let configuration: ReceiptRenewerConfiguration
    private var rests: [KeyEnvironment: Instant] = [:]
    private var misses: [KeyEnvironment: Misses] = [:]

    init(configuration: ReceiptRenewerConfiguration) {
        self.configuration = configuration
    }

    /// The environments whose servers are not asked at a moment.
    func resting(at now: Instant) -> Set<KeyEnvironment> { Set(rests.filter { $0.value > now }.keys) }

    /// Whether too many receipts of an environment in a row were refused or unknown.
    ///
    /// Then the address, or the server behind it, is to blame rather than the receipts.
    func isDoubted(_ environment: KeyEnvironment) -> Bool {
        guard let misses = misses[environment] else { return false }
        return misses.refused >= configuration.refusedMax || misses.unknown >= configuration.unknownMax
    }

    /// How long to wait before the next look for a due receipt: the longer of the record's pause, and the time in which
    /// no environment may be asked.
    /// - Parameter chance: From 0 to 1: where in its range a random wait lies.
    mutating func pause(after round: ReceiptLog.Round, at now: Instant, chance: Double) -> Duration {
        var pause = round.fault == nil ? Duration.zero : configuration.pollInterval
        if let turn = round.turn {
            if let environment = turn.environment { note(turn, of: environment, at: now) }
        } else if round.fault == nil {
            pause = configuration.pollInterval * (0.5 + chance)
        }
        let ends = configuration.keys.environments.map { rests[$0].map { now.duration(to: $0) } ?? .zero }
        return max(pause, ends.min() ?? .zero)
    }

    private mutating func note(_ turn: ReceiptLog.Turn, of environment: KeyEnvironment, at now: Instant) {
        switch turn.settlement.outcome {
        case .renewed, .rejected, .notYet: misses[environment] = nil
        case .refused: misses[environment, default: Misses()].refused += 1
        case .unknown: misses[environment, default: Misses()].unknown += 1
        case .waiting, .unauthorized, .overloaded, .unreachable, .ended: break
        }
        rests[environment] = now.advanced(by: rest(after: turn, in: environment))
    }

    /// How long an environment rests: not at all after a success, longest after a refused key or many 400s.
    ///
    /// An unknown receipt may just be old, as after weeks in which no worker asked: known ones wait behind it.
    private func rest(after turn: ReceiptLog.Turn, in environment: KeyEnvironment) -> Duration {
        let poll = configuration.pollInterval
        switch turn.settlement.outcome {
        case .renewed, .ended: return .zero
        case .unknown: return isDoubted(environment) ? poll : .zero
        case .refused: return isDoubted(environment) ? configuration.alarmPause : poll
        case .unauthorized: return configuration.alarmPause
        case .overloaded: return max(poll, min(turn.retryAfter ?? .zero, configuration.backoff.cap))
        case .waiting, .notYet, .unreachable, .rejected: return poll
        }
    }
}
