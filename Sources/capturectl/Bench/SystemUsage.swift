import PrivateServers

/// The resources used by the parts of the system.
struct SystemUsage: Sendable {
    var worker: ProcessFigures
    var redis: ProcessFigures
    var postgres: ProcessFigures
    /// Writing commands that Redis has carried out, those of its functions included.
    var redisWrites: Int

    /// The processor time since an earlier reading; the peaks remain those of the processes' whole lives.
    func since(_ earlier: SystemUsage) -> SystemUsage {
        var usage = self
        usage.worker.processorTime -= earlier.worker.processorTime
        usage.redis.processorTime -= earlier.redis.processorTime
        usage.postgres.processorTime -= earlier.postgres.processorTime
        usage.redisWrites -= earlier.redisWrites
        return usage
    }
}
