import Backoff
import CaptureModel
import CaptureStore

/// Decides how long a worker leaves Apple's servers alone, each environment's for itself: no clock, no chance, no input
/// or output.
struct ReceiptPace<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// Answers in a row that no receipt gets whose server is the right one.
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

    /// The environments about which nothing is asked at a moment.
    func resting(at now: Instant) -> Set<KeyEnvironment> { Set(rests.filter { $0.value > now }.keys) }

    /// Whether so many receipts of an environment in a row were not taken, or not known, that it is the address, or what
    /// stands there, rather than the receipts.
    func isDoubted(_ environment: KeyEnvironment) -> Bool {
        guard let misses = misses[environment] else { return false }
        return misses.refused >= configuration.refusedMax || misses.unknown >= configuration.unknownMax
    }

    /// How long to wait before the next look for a receipt that is due: the longest that the record asks for, or that
    /// no environment may be asked about.
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

    /// After what went well there may be more; after a refused key, or at a wrong address, there is no use in it.
    ///
    /// Receipts that nobody knows may just be old, as after weeks in which no worker asked: known ones wait behind them.
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
