package import CaptureModel
import CoreMetrics
import Metrics

/// Records the system's own metrics without names or labels as text.
///
/// Each function records in the current metrics system (`MetricsSystem.bootstrap`, or `withMetricsFactory` in a test);
/// before there is one, it does nothing.
///
/// ```swift
/// CaptureMetrics.registration(.verified)
/// CaptureMetrics.stage(.verify, took: clock.now - start)
/// ```
package enum CaptureMetrics {
    // MARK: Registration and authentication

    /// The outcome of a registration.
    package enum RegistrationOutcome: String, Sendable, CaseIterable {
        /// The attestation was verified.
        case verified
        /// The attestation was not verified, and the device was taken as unverified.
        case degraded
        /// The device was taken with a plain key.
        case unattested
        /// The attestation was not verified, and the device was refused.
        case rejected
        /// The key was registered before.
        case conflict
        /// The challenge was expired, unknown or used.
        case challengeInvalid = "challenge_invalid"
        /// Fields were missing or malformed.
        case invalid
        /// A fault of the system.
        case error
    }

    /// Counts a registration attempt.
    package static func registration(_ outcome: RegistrationOutcome) {
        count(MetricCatalogue.registrations, outcome.rawValue)
    }

    /// Notes how long verifying an attestation took, whatever the outcome.
    package static func attestationVerification(took duration: Duration) {
        observe(MetricCatalogue.attestationSeconds, duration)
    }

    /// Counts a challenge that was handed out.
    package static func challengeIssued() {
        count(MetricCatalogue.challenges)
    }

    /// Counts a request that a rate limit refused.
    package static func rateLimited() {
        count(MetricCatalogue.rateLimited)
    }

    /// Counts refused signatures of requests or captures.
    package static func signatureFailure(_ reason: Reason, by amount: Int = 1) {
        count(MetricCatalogue.signatureFailures, by: amount, reason.rawValue)
    }

    // MARK: Uploads and requests

    /// The outcome of an upload at the gateway.
    package enum UploadOutcome: String, Sendable, CaseIterable {
        /// Accepted as a new capture.
        case accepted
        /// The same bundle was accepted before.
        case duplicate
        /// Refused: malformed.
        case invalid
        /// Refused: a part exceeds its limit.
        case tooLarge = "too_large"
        /// Refused: the device is unknown or revoked, or its signature is not good.
        case unauthorized
        /// Refused for now: the queue is full.
        case queueFull = "queue_full"
        /// Refused for now: a server is away.
        case unavailable
        /// The client went away in the middle, or was too slow.
        case aborted
        /// A fault of the system.
        case error
    }

    /// Counts an upload; `bytes` is the size of the bundle and is noted for accepted ones.
    package static func upload(_ outcome: UploadOutcome, bytes: Int = 0) {
        count(MetricCatalogue.uploads, outcome.rawValue)
        if outcome == .accepted { observe(MetricCatalogue.uploadBytes, Double(bytes)) }
    }

    /// Counts an answered HTTP request.
    ///
    /// - Parameters:
    ///   - route: The pattern of the route, as it is in the program; never the path of the request.
    ///   - status: The HTTP status code.
    ///   - duration: How long the answer took.
    package static func request(route: StaticString, status: Int, took duration: Duration) {
        let route = route.description
        count(MetricCatalogue.requests, route, String(min(max(status, 0), 999)))
        observe(MetricCatalogue.requestSeconds, duration, route)
    }

    /// The outcome for a connection, or for a request on an idle one, beyond the limit.
    package enum ConnectionRefusal: String, Sendable, CaseIterable {
        /// It was answered with 503.
        case refused
        /// It was closed without an answer.
        case dropped
    }

    /// Counts a connection, or a request on an idle one, beyond the limit.
    package static func connectionRefused(_ outcome: ConnectionRefusal) {
        count(MetricCatalogue.connectionsRefused, outcome.rawValue)
    }

    // MARK: Helpers, for the other subjects as well

    static func count(_ metric: MetricDefinition, by amount: Int = 1, _ labels: String...) {
        Counter(label: metric.name, dimensions: pair(metric, labels)).increment(by: amount)
    }

    static func set(_ metric: MetricDefinition, to value: Double, _ labels: String...) {
        Gauge(label: metric.name, dimensions: pair(metric, labels)).record(value)
    }

    static func observe(_ metric: MetricDefinition, _ value: Double, _ labels: String...) {
        Recorder(label: metric.name, dimensions: pair(metric, labels)).record(value)
    }

    static func observe(_ metric: MetricDefinition, _ duration: Duration, _ labels: String...) {
        Recorder(label: metric.name, dimensions: pair(metric, labels)).record(duration / .seconds(1))
    }

    /// Finds the series only once, which costs far more than an observation.
    static func observe(_ metric: MetricDefinition, _ durations: [Duration], _ labels: String...) {
        guard !durations.isEmpty else { return }
        let recorder = Recorder(label: metric.name, dimensions: pair(metric, labels))
        for duration in durations { recorder.record(duration / .seconds(1)) }
    }

    private static func pair(_ metric: MetricDefinition, _ values: [String]) -> [(String, String)] {
        precondition(metric.labels.count == values.count, "\(metric.name) has other labels")
        return Array(zip(metric.labels.map(\.name), values))
    }
}
