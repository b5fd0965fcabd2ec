import CaptureModel

extension MetricCatalogue {
    // MARK: Queue

    static let queueCaptures = MetricDefinition(
        "capture_queue_captures", .gauge, "Captures accepted and not settled, dead letters not counted.")
    static let queueCapturesMax = MetricDefinition(
        "capture_queue_captures_max", .gauge, "The most captures that the queue takes.")
    static let queueBytes = MetricDefinition(
        "capture_queue_bytes", .gauge, "Bytes of the bundles in the queue.")
    static let queueBytesMax = MetricDefinition(
        "capture_queue_bytes_max", .gauge, "The most bytes that the queue takes.")
    static let queueFillRatio = MetricDefinition(
        "capture_queue_fill_ratio", .gauge,
        "How full the queue's fullest partition is, by captures or bytes, whichever is more; 1 is full.")
    static let queueOldestAge = MetricDefinition(
        "capture_queue_oldest_age_seconds", .gauge,
        "Age of the oldest capture at the head of a lane, from when it was received or put back; 0 if there is none.")
    static let queueLanes = MetricDefinition(
        "capture_queue_lanes", .gauge, "Lanes of devices with captures in the queue, by state.",
        labels: [MetricLabel("state", CaptureMetrics.LaneState.self)])
    static let queueDeadLetters = MetricDefinition(
        "capture_queue_dead_letters", .gauge, "Dead letters that wait for an operator.")
    static let queuePaused = MetricDefinition(
        "capture_queue_paused", .gauge, "1 while an operator has paused the queue, else 0.")

    /// The metrics of the queue, which every program shows alike.
    static let queue = [
        queueCaptures, queueCapturesMax, queueBytes, queueBytesMax, queueFillRatio, queueOldestAge, queueLanes,
        queueDeadLetters, queuePaused,
    ]

    // MARK: Work

    static let jobs = MetricDefinition(
        "capture_jobs_total", .counter, "Captures that ended, by result and reason.",
        labels: [
            MetricLabel("result", ["verified", "rejected", "failed"]),
            MetricLabel("reason", [], "a reason code; empty for verified captures"),
        ], programs: [.worker],
        series: [["verified", ""]] + Reason.ofRejections.map { ["rejected", $0.rawValue] }
            + Reason.ofDeadLetters.map { ["failed", $0.rawValue] })
    static let counterConflicts = MetricDefinition(
        "capture_replay_conflicts_total", .counter,
        "Replays that an attested key has signed over other content than the verified capture of their counter.",
        programs: [.worker])
    static let stageSeconds = MetricDefinition(
        "capture_stage_seconds", .histogram,
        "Time per stage: fetch, settle and give back for a batch, verify for one capture.",
        labels: [MetricLabel("stage", CaptureMetrics.Stage.self)], buckets: MetricBuckets.seconds,
        programs: [.worker])
    static let settlementSeconds = MetricDefinition(
        "capture_settlement_seconds", .histogram,
        "Time from acceptance to settlement of a capture that was not redriven.",
        buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600], programs: [.worker])
    static let retries = MetricDefinition(
        "capture_retries_total", .counter, "Lanes put off after a transient fault, by reason.",
        labels: [MetricLabel("reason", CaptureMetrics.RetryReason.self)], programs: [.worker])
    static let deadLetters = MetricDefinition(
        "capture_dead_letters_total", .counter, "Captures that became dead letters, by reason.",
        labels: [MetricLabel("reason", Reason.ofDeadLetters.map(\.rawValue))], programs: [.worker])
    static let lanesTakenOver = MetricDefinition(
        "capture_lanes_taken_over_total", .counter, "Lanes taken over from workers that went away.",
        programs: [.worker])
    static let leasesLost = MetricDefinition(
        "capture_leases_lost_total", .counter, "Lanes that another worker took over before this one gave them back.",
        programs: [.worker])
    static let workerLanes = MetricDefinition(
        "capture_worker_lanes", .gauge, "Lanes that the worker holds (`busy`), and the most it may hold (`limit`).",
        labels: [MetricLabel("state", ["busy", "limit"])], programs: [.worker])
    static let partitionsRefused = MetricDefinition(
        "capture_partitions_refused", .gauge,
        "Partitions in which the last claim, look at the load or restoration was refused; 0 while Redis is away.",
        startsAtZero: true)

    /// The metrics of a worker's work.
    static let work = [
        jobs, counterConflicts, stageSeconds, settlementSeconds, retries, deadLetters, lanesTakenOver, leasesLost,
        workerLanes, partitionsRefused,
    ]
}
