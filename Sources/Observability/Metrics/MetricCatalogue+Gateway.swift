import CaptureModel

extension MetricCatalogue {
    // MARK: Devices

    static let registrations = MetricDefinition(
        "capture_registrations_total", .counter, "Device registration attempts by outcome.",
        labels: [MetricLabel("outcome", CaptureMetrics.RegistrationOutcome.self)], programs: [.gateway])
    static let attestationSeconds = MetricDefinition(
        "capture_attestation_verification_seconds", .histogram, "Time to verify one attestation.",
        buckets: MetricBuckets.seconds, programs: [.gateway])
    static let challenges = MetricDefinition(
        "capture_challenges_issued_total", .counter, "Challenges handed out.", programs: [.gateway])
    static let rateLimited = MetricDefinition(
        "capture_rate_limited_total", .counter, "Requests refused by a rate limit.", programs: [.gateway])
    static let signatureFailures = MetricDefinition(
        "capture_signature_failures_total", .counter,
        "Refused signatures by reason: of requests and uploads at the gateway, of queued captures at the worker.",
        labels: [MetricLabel("reason", Reason.ofSignatures.map(\.rawValue))])

    /// The metrics of devices.
    static let devices = [registrations, attestationSeconds, challenges, rateLimited, signatureFailures]

    // MARK: Uploads and requests

    static let uploads = MetricDefinition(
        "capture_uploads_total", .counter, "Uploads by outcome at the gateway.",
        labels: [MetricLabel("outcome", CaptureMetrics.UploadOutcome.self)], programs: [.gateway])
    static let uploadBytes = MetricDefinition(
        "capture_upload_bytes", .histogram, "Bytes of accepted bundles.", buckets: MetricBuckets.bytes,
        programs: [.gateway])
    static let intakeRows = MetricDefinition(
        "capture_intake_rows_total", .counter, "Uploads recorded in the intake ledger.", programs: [.gateway])
    static let intakeGroup = MetricDefinition(
        "capture_intake_group_uploads", .histogram, "Number of uploads in one commit of the intake ledger.",
        buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256], programs: [.gateway])
    static let intakeRestored = MetricDefinition(
        "capture_intake_restored_total", .counter,
        """
        Captures that the queue had lost and got back from the ledger, by what became of their bytes; `dead` are dead \
        letters without any, mostly since an earlier loss.
        """,
        labels: [MetricLabel("bytes", CaptureMetrics.RestoredBytes.self)], programs: [.gateway])
    static let intakeInvalid = MetricDefinition(
        "capture_intake_invalid_total", .counter,
        "Accepted captures that the queue refuses to take back from the ledger; counted again at each full look.",
        programs: [.gateway])
    static let requests = MetricDefinition(
        "capture_http_requests_total", .counter, "HTTP requests by route and status.",
        labels: [route, MetricLabel("status", [], "the HTTP status code")], programs: [.gateway])
    static let requestSeconds = MetricDefinition(
        "capture_http_request_seconds", .histogram,
        "Time to answer an HTTP request by route, without a `?wait` that was asked for.", labels: [route],
        buckets: MetricBuckets.seconds, programs: [.gateway])
    static let connectionsRefused = MetricDefinition(
        "capture_connections_refused_total", .counter,
        """
        Connections, and requests on idle ones, refused for want of room: with 503, closed without an answer, or in \
        either way as one address has its share.
        """,
        labels: [MetricLabel("outcome", CaptureMetrics.ConnectionRefusal.self)], programs: [.gateway])

    private static let route = MetricLabel(
        "route", [], "the route's pattern as in OpenAPI, or a dashboard page's; `unknown` for any other path or method")

    /// The metrics of uploads and requests.
    static let uploading = [
        uploads, uploadBytes, intakeRows, intakeGroup, intakeRestored, intakeInvalid, requests, requestSeconds,
        connectionsRefused,
    ]
}

extension Reason {
    /// The reasons for which a signature is refused.
    static let ofSignatures: [Reason] = [
        .assertionMalformed, .rpIDMismatch, .signatureInvalid, .extensionsNotAllowed, .counterReplay,
    ]
}
