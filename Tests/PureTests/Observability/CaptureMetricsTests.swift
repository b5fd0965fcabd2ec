import CaptureModel
import CoreMetrics
import Observability
import Testing

@Suite struct CaptureMetricsTests {
    @Test func `every typed function arrives at a metric of the catalogue`() throws {
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            for outcome in CaptureMetrics.RegistrationOutcome.allCases { CaptureMetrics.registration(outcome) }
            for outcome in CaptureMetrics.UploadOutcome.allCases { CaptureMetrics.upload(outcome, bytes: 2_000_000) }
            for reason in Reason.allCases {
                CaptureMetrics.signatureFailure(reason)
                CaptureMetrics.job(.rejected, reason)
                CaptureMetrics.deadLetter(reason)
            }
            for stage in CaptureMetrics.Stage.allCases { CaptureMetrics.stage(stage, took: .milliseconds(3)) }
            for state in CaptureState.allCases { CaptureMetrics.queueJobs(state, 4) }
            CaptureMetrics.attestationVerification(took: .microseconds(1500))
            CaptureMetrics.challengeIssued()
            CaptureMetrics.rateLimited()
            CaptureMetrics.request(route: "/api/v1/captures", status: 202, took: .milliseconds(12))
            CaptureMetrics.intakeRecorded(3)
            CaptureMetrics.intakeRestored(.lost)
            CaptureMetrics.queueBytes(1 << 30)
            CaptureMetrics.oldestJobAge(.seconds(90))
            CaptureMetrics.job(.verified, nil)
            CaptureMetrics.retry(.store)
            CaptureMetrics.settlement(took: .seconds(2))
            CaptureMetrics.leasesRecovered(2)
            CaptureMetrics.leasesLost()
            CaptureMetrics.workerSlots(busy: 3, limit: 8)
            CaptureMetrics.pool(.postgres, busy: 1, idle: 2, waiters: 0)
            CaptureMetrics.dependency(.redis, isUp: true)
        }
        let exposition = try StrictExposition(registry.render())
        for metric in MetricCatalogue.all {
            #expect(exposition.types[metric.name] == metric.kind.rawValue, "\(metric.name)")
        }
        #expect(exposition.types.count == MetricCatalogue.all.count)
        #expect(exposition.value("capture_registrations_total", ["outcome": "challenge_invalid"]) == "1")
        #expect(exposition.value("capture_jobs_total", ["result": "verified", "reason": ""]) == "1")
        #expect(exposition.value("capture_jobs_total", ["result": "rejected", "reason": "COUNTER_REPLAY"]) == "1")
        #expect(exposition.value("capture_upload_bytes_count") == "1")
        #expect(exposition.value("capture_attestation_verification_seconds_sum") == "0.0015")
        #expect(exposition.value("capture_queue_oldest_job_age_seconds") == "90")
        #expect(exposition.value("capture_metrics_dropped_series_total") == "0")
    }

    @Test func `names say their unit and kind, and each is there once`() {
        #expect(Set(MetricCatalogue.all.map(\.name)).count == MetricCatalogue.all.count)
        for metric in MetricCatalogue.all {
            #expect(metric.name.hasPrefix("capture_"))
            #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter))
            #expect(!metric.help.isEmpty)
            #expect(metric.buckets == metric.buckets.sorted() && metric.buckets.isEmpty == (metric.kind != .histogram))
        }
    }
}
