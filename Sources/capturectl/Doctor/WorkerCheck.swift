import CaptureQueue
import RedisCaptureQueue

/// Checks that workers are at work.
///
/// It uses the workers' heartbeats, as `stats` does. The idle time of a group's consumer says nothing, because Redis
/// 7.0 does not reset it on reads that find nothing.
struct WorkerCheck {
    let examination: QueueExamination
    let overview: QueueOverview
    let configuration: RedisQueueConfiguration

    /// The line about a queue's workers; it says so where a key of another type keeps the queue from telling.
    static func look(at queue: RedisCaptureQueue, _ examination: QueueExamination) async throws -> [DoctorCheck] {
        try await DoctorCheck.unlessDamaged(DoctorReport.workers) {
            let overview = try await queue.overview()
            let check = WorkerCheck(examination: examination, overview: overview, configuration: queue.configuration)
            return [check.look()]
        }
    }

    func look() -> DoctorCheck {
        let alive = Set(overview.workers.filter(\.isAlive).map(\.name))
        if overview.load.isPaused { return paused }
        if let abandoned {
            return .problem(
                DoctorReport.workers, abandoned, "its worker is gone and no other takes it over",
                repair: "start capture-worker",
                examples: examination.consumers.filter { $0.lanes > 0 }.map(\.name))
        }
        if alive.isEmpty { return nobody }
        let workers = TerminalText.count(alive.count, "worker")
        let gone = Set(
            examination.consumers.filter { $0.lanes == 0 && $0.idle > configuration.consumerIdleMax }.map(\.name)
        ).subtracting(alive)
        guard gone.isEmpty else {
            return .note(
                DoctorReport.workers, "\(workers), and \(gone.count) that left without a word",
                "the next worker that starts removes their names")
        }
        return .ok(DoctorReport.workers, workers)
    }

    private var nobody: DoctorCheck {
        guard !examination.waiting.isEmpty else {
            return .note(DoctorReport.workers, "none", "nothing waits for one; what is accepted will")
        }
        return .problem(
            DoctorReport.workers, "none",
            "\(TerminalText.count(examination.waiting.count, "capture")) waiting for nobody",
            repair: "start capture-worker")
    }

    /// The finding that a lane's lease is not renewed.
    private var abandoned: String? {
        guard let held = examination.longestHeld, held > configuration.leaseDuration * 3 + .seconds(10) else {
            return nil
        }
        return "a lane is held for \(TerminalText.age(held)) without a renewal"
    }

    private var paused: DoctorCheck {
        guard let abandoned else {
            return .note(DoctorReport.workers, "paused", "no captures are claimed until `capturectl resume`")
        }
        return .note(
            DoctorReport.workers, "paused, and \(abandoned)",
            "its worker is gone, and no other takes it over until `capturectl resume`")
    }
}
