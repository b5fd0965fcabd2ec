extension Setting {
    // MARK: Worker

    package static let workerConcurrency = Setting(
        "worker.concurrency", .integer(1...256), "2", "Captures verified side by side: one for each core."
    )
    package static let workerPipelines = Setting(
        "worker.pipelines", .integer(1...16), "3", "Batches under way at once."
    )
    package static let workerLinger = Setting(
        "worker.linger", .duration(.zero ... .seconds(1)), "10ms",
        "How long a batch under way keeps the next claim waiting, unless the queue holds more than one batch."
    )
    package static let workerHashing = Setting(
        "worker.hashing", .choice(Parallelism.allCases.map(\.rawValue)), Parallelism.auto.rawValue,
        "Whether bundles are hashed several at once, as is fastest on the processor, or one after the other."
    )
    package static let workerSignatures = Setting(
        "worker.signatures", .choice(Parallelism.allCases.map(\.rawValue)), Parallelism.auto.rawValue,
        "Whether signatures are proven several at once, where the processor can, or verified one after the other."
    )
    package static let workerClaimLanesMax = Setting(
        "worker.claimLanesMax", .integer(1...1024), "64",
        "Lanes taken with one claim at the most; fewer where those fill a batch."
    )
    package static let workerCapturesPerLaneMax = Setting(
        "worker.capturesPerLaneMax", .integer(1...64), "16", "Captures taken from one lane with one claim at the most."
    )
    package static let workerBatchBytesMax = Setting(
        "worker.batchBytesMax", .bytes((1 << 20)...(1 << 30)), "48MiB", "Bundle bytes that one batch holds."
    )
    package static let workerBatchCapturesMax = Setting(
        "worker.batchCapturesMax", .integer(1...1024), "256", "Captures settled in one transaction."
    )
    package static let workerAttemptsMax = Setting(
        "worker.attemptsMax", .integer(1...1000), "12", "How often a capture is tried before it is a dead letter."
    )
    package static let workerRetryBase = Setting(
        "worker.retryBase", .duration(.milliseconds(10) ... .seconds(60)), "500ms",
        "Longest first wait after a transient fault (the wait is random below it); doubles with each try."
    )
    package static let workerRetryCap = Setting(
        "worker.retryCap", .duration(.milliseconds(10) ... .seconds(3600)), "60s", "The highest bound of such a wait."
    )
    package static let workerOutageHold = Setting(
        "worker.outageHold", .duration(.milliseconds(100) ... .seconds(600)), "20s",
        "How long verified captures are held while a server is away, before they are handed back. A worker waits for a "
            + "lock for a quarter of it at the most (or 100ms), and for a statement for half of it (or 1s), so that a "
            + "batch can still be divided."
    )
    package static let workerCachedDevicesMax = Setting(
        "worker.cachedDevicesMax", .integer(1...10_000_000), "50000", "Devices whose keys a worker keeps ready."
    )
    package static let workerCachedDeviceLifetime = Setting(
        "worker.cachedDeviceLifetime", .duration(.milliseconds(100) ... .seconds(3600)), "60s",
        "How long it keeps a key ready; a revocation does not wait for that."
    )
    package static let workerJobDeadline = Setting(
        "worker.jobDeadline", .duration(.milliseconds(100) ... .seconds(600)), "30s",
        "How long the verification of one capture may compute before its worker ends itself (exit 70)."
    )
    package static let workerMemoryMax = Setting(
        "worker.memoryMax", .bytes((64 << 20)...(1 << 40)), "1GiB",
        "Memory (RSS) that a worker may hold before it ends itself (exit 70)."
    )
    package static let workerMetricsHost = Setting(
        "worker.metricsHost", .text, "127.0.0.1", "The address where a worker shows health and metrics.")
    package static let workerMetricsPort = Setting(
        "worker.metricsPort", .integer(0...65_535), "0",
        "The port for health and metrics; 0 takes a free one, which the log names."
    )
    package static let workerReadinessTimeout = Setting(
        "worker.readinessTimeout", .duration(.milliseconds(100) ... .seconds(60)), "1s",
        "How long a worker's /readyz waits for Redis and for PostgreSQL."
    )

    /// The settings of workers.
    static let worker = [
        workerConcurrency, workerPipelines, workerLinger, workerHashing, workerSignatures, workerClaimLanesMax,
        workerCapturesPerLaneMax, workerBatchBytesMax, workerBatchCapturesMax, workerAttemptsMax, workerRetryBase,
        workerRetryCap, workerOutageHold, workerCachedDevicesMax, workerCachedDeviceLifetime, workerJobDeadline,
        workerMemoryMax, workerMetricsHost, workerMetricsPort, workerReadinessTimeout,
    ]
}
