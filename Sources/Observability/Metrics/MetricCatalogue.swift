/// Every metric of the system, by name ([R-OP-5]).
///
/// Names and labels are a contract: dashboards and alerts use them.
/// Label values are the raw values of the enumerations named in ``CaptureMetrics``; none comes from a request.
public enum MetricCatalogue {
    /// Registration attempts by what became of them.
    public static let registrations = MetricDefinition(
        "capture_registrations_total", .counter, "Device registration attempts by outcome.", labels: ["outcome"])
    /// Time that verifying one attestation took.
    public static let attestationSeconds = MetricDefinition(
        "capture_attestation_verification_seconds", .histogram, "Time to verify one attestation.",
        buckets: MetricBuckets.seconds)
    /// Challenges handed out.
    public static let challenges = MetricDefinition(
        "capture_challenges_issued_total", .counter, "Challenges handed out.")
    /// Signatures of requests and captures that were refused.
    public static let signatureFailures = MetricDefinition(
        "capture_signature_failures_total", .counter, "Refused signatures of requests and captures by reason.",
        labels: ["reason"])
    /// Uploads by what became of them at the door.
    public static let uploads = MetricDefinition(
        "capture_uploads_total", .counter, "Uploads by outcome at the door.", labels: ["outcome"])
    /// Sizes of accepted bundles.
    public static let uploadBytes = MetricDefinition(
        "capture_upload_bytes", .histogram, "Bytes of accepted bundles.", buckets: MetricBuckets.bytes)
    /// Rows of the intake ledger that were written.
    public static let intakeRows = MetricDefinition(
        "capture_intake_rows_total", .counter, "Uploads recorded in the intake ledger.")
    /// Sizes of the groups in which they were written.
    public static let intakeGroup = MetricDefinition(
        "capture_intake_group_uploads", .histogram, "Uploads that share one commit of the intake ledger.",
        buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    /// Captures that were put back into the queue from the ledger.
    public static let intakeRestored = MetricDefinition(
        "capture_intake_restored_total", .counter,
        "Captures that the queue had lost and got back from the ledger, by what became of their bytes.",
        labels: ["bytes"])
    /// Captures in the queue, by state.
    public static let queueJobs = MetricDefinition(
        "capture_queue_jobs", .gauge, "Captures in the queue by state.", labels: ["state"])
    /// Bytes of the bundles in the queue.
    public static let queueBytes = MetricDefinition(
        "capture_queue_bytes", .gauge, "Bytes of the bundles in the queue.")
    /// How long the oldest capture has been waiting.
    public static let oldestJobAge = MetricDefinition(
        "capture_queue_oldest_job_age_seconds", .gauge, "Age of the oldest capture that is not settled.")
    /// Captures that ended, by result and reason.
    public static let jobs = MetricDefinition(
        "capture_jobs_total", .counter, "Captures that ended, by result and reason.", labels: ["result", "reason"])
    /// Time that each stage of the pipeline took.
    public static let stageSeconds = MetricDefinition(
        "capture_stage_seconds", .histogram, "Time per stage of the pipeline.", labels: ["stage"],
        buckets: MetricBuckets.seconds)
    /// Time from acceptance to settlement.
    public static let settlementSeconds = MetricDefinition(
        "capture_settlement_seconds", .histogram, "Time from acceptance to settlement of a capture.",
        buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600])
    /// Captures put off after a transient fault.
    public static let retries = MetricDefinition(
        "capture_retries_total", .counter, "Lanes put off after a transient fault, by reason.", labels: ["reason"])
    /// Captures that were given up, by reason.
    public static let deadLetters = MetricDefinition(
        "capture_dead_letters_total", .counter, "Captures that became dead letters, by reason.", labels: ["reason"])
    /// Leases taken over from workers that went away.
    public static let leasesRecovered = MetricDefinition(
        "capture_leases_recovered_total", .counter, "Leases taken over from workers that went away.")
    /// Leases that were lost before their work was settled.
    public static let leasesLost = MetricDefinition(
        "capture_leases_lost_total", .counter, "Leases lost before their work was settled.")
    /// Lanes that the worker has in work, and its limit.
    public static let workerSlots = MetricDefinition(
        "capture_worker_slots", .gauge, "Lanes in work and allowed at once, by state.", labels: ["state"])
    /// Connections of a pool, by state.
    public static let poolConnections = MetricDefinition(
        "capture_pool_connections", .gauge, "Connections of a pool by state.", labels: ["pool", "state"])
    /// Callers waiting for a connection.
    public static let poolWaiters = MetricDefinition(
        "capture_pool_waiters", .gauge, "Callers waiting for a connection of a pool.", labels: ["pool"])
    /// Whether a server that the system needs answers.
    public static let dependencyUp = MetricDefinition(
        "capture_dependency_up", .gauge, "1 while a server answers, 0 while it does not.", labels: ["dependency"])
    /// HTTP requests by route and status class.
    public static let requests = MetricDefinition(
        "capture_http_requests_total", .counter, "HTTP requests by route and status.", labels: ["route", "status"])
    /// Time to answer HTTP requests.
    public static let requestSeconds = MetricDefinition(
        "capture_http_request_seconds", .histogram, "Time to answer an HTTP request by route.", labels: ["route"],
        buckets: MetricBuckets.seconds)
    /// Requests refused by a rate limit.
    public static let rateLimited = MetricDefinition(
        "capture_rate_limited_total", .counter, "Requests refused by a rate limit.")
    /// Metrics that had no room of their own.
    public static let droppedSeries = MetricDefinition(
        "capture_metrics_dropped_series_total", .counter,
        "Series that found no room and were counted as `other` or not at all.")

    /// All of them.
    public static let all: [MetricDefinition] = [
        registrations, attestationSeconds, challenges, signatureFailures, uploads, uploadBytes, intakeRows,
        intakeGroup, intakeRestored, queueJobs, queueBytes,
        oldestJobAge, jobs, stageSeconds, settlementSeconds, retries, deadLetters, leasesRecovered, leasesLost,
        workerSlots, poolConnections, poolWaiters, dependencyUp, requests, requestSeconds, rateLimited, droppedSeries,
    ]
}
