import CaptureModel

extension Evidence {
    /// How many bundles may be left to the workers' sweeper, by what has happened.
    ///
    /// - An attempt to send that was not answered with 202 may have stored its bytes and no more; where something broke,
    ///   so may one that was answered with an earlier attempt's capture.
    /// - A worker that is ended or held up between the queue's and its own part of settling, or is never told that the
    ///   queue has done it, leaves what it had in hand: as many batches as it works at once, of as many captures as one
    ///   has at the most; and nothing that was not settled.
    func orphansMax(_ options: ChaosOptions) -> Int {
        let unanswered = entries.reduce(0) { $0 + $1.setbacks.count }
        let repeated = faults.isEmpty ? 0 : entries.reduce(0) { $0 + max(0, $1.accepted.count - 1) }
        let settling = faults.reduce(0) { $0 + $1.workersInterrupted(of: options.workers) * options.settlingMax }
        return unanswered + repeated + min(rows.count, settling)
    }

    /// Captures that were sent in one attempt: nobody has stored their bytes again.
    var sentOnce: Set<CaptureID> {
        Set(
            entries.compactMap {
                $0.setbacks.isEmpty && $0.accepted.count == 1 ? $0.accepted[0].capture : nil
            })
    }
}

extension Fault {
    /// How many of the workers it may keep from removing the files of what they are settling.
    func workersInterrupted(of workers: Int) -> Int {
        switch self {
        case .killed(let program, _), .frozen(let program, _): program.role == .worker ? 1 : 0
        // If the queue did something and its answer was lost, it may refuse the second request, or have forgotten the
        // first.
        case .redisKilled, .redisFlushed, .redisWithoutFunctions, .redisFrozen: workers
        // The record tells what it has done when it is asked again.
        case .postgresRestarted, .postgresKilled, .sessionsTerminated: 0
        case .cut(let choice), .stalled(let choice, _), .answersLost(let choice, _), .slowed(let choice, _, _):
            choice.server == .redis ? choice.programs.count { $0.role == .worker } : 0
        }
    }
}
