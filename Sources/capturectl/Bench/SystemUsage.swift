import PrivateServers

/// What the parts of the system have used.
struct SystemUsage: Sendable {
    var worker: ProcessFigures
    var redis: ProcessFigures
    var postgres: ProcessFigures
    /// Writing commands that Redis has carried out, those of its functions included.
    var redisWrites: Int

    /// The processor time since an earlier look; the peaks stay those of the processes' whole lives.
    func since(_ earlier: SystemUsage) -> SystemUsage {
        var usage = self
        usage.worker.processorTime -= earlier.worker.processorTime
        usage.redis.processorTime -= earlier.redis.processorTime
        usage.postgres.processorTime -= earlier.postgres.processorTime
        usage.redisWrites -= earlier.redisWrites
        return usage
    }
}
