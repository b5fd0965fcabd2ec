import CaptureModel
import CoreMetrics
import TestSupport
import Testing

@testable import Observability

@Suite struct CaptureMetricsTests {
    @Test func `every typed function arrives at a metric of the catalogue`() throws {
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            for outcome in CaptureMetrics.RegistrationOutcome.allCases { CaptureMetrics.registration(outcome) }
            for outcome in CaptureMetrics.UploadOutcome.allCases { CaptureMetrics.upload(outcome, bytes: 2_000_000) }
            for reason in Reason.ofSignatures { CaptureMetrics.signatureFailure(reason) }
            for reason in Reason.ofRejections { CaptureMetrics.jobs(.rejected, reason) }
            for reason in Reason.ofDeadLetters { CaptureMetrics.deadLetter(reason) }
            for stage in CaptureMetrics.Stage.allCases { CaptureMetrics.stage(stage, took: .milliseconds(3)) }
            for state in CaptureMetrics.LaneState.allCases { CaptureMetrics.queueLanes(state, 4) }
            CaptureMetrics.attestationVerification(took: .microseconds(1500))
            CaptureMetrics.challengeIssued()
            CaptureMetrics.rateLimited()
            CaptureMetrics.request(route: "/api/v1/captures", status: 202, took: .milliseconds(12))
            for outcome in CaptureMetrics.ConnectionRefusal.allCases { CaptureMetrics.connectionRefused(outcome) }
            CaptureMetrics.intakeRecorded(3)
            CaptureMetrics.intakeRestored(.lost)
            CaptureMetrics.intakeInvalid()
            CaptureMetrics.queueFill(captures: 5, capturesMax: 10, bytes: 1 << 30, bytesMax: 1 << 32, ratio: 0.5)
            CaptureMetrics.queueOldestAge(.seconds(90))
            CaptureMetrics.queueCare(deadLetters: 2, isPaused: true)
            CaptureMetrics.jobs(.verified, nil)
            CaptureMetrics.retry(.server)
            CaptureMetrics.settlements(took: [.seconds(2)])
            CaptureMetrics.lanesTakenOver(2)
            CaptureMetrics.leasesLost()
            CaptureMetrics.workerLanes(busy: 3, limit: 8)
            CaptureMetrics.pool(.record, busy: 1, idle: 2, waiters: 0)
            CaptureMetrics.dependency(.redis, isUp: true)
            for gravity in DurabilityProblem.Gravity.allCases { CaptureMetrics.durabilityProblems(1, gravity) }
            CaptureMetrics.started(.worker, version: "1", at: Timestamp(millisecondsSince1970: 1500))
            CaptureMetrics.residentMemory(4096)
            CaptureMetrics.developerKey(isRefused: true, in: .development)
            CaptureMetrics.rolloutFile(isInForce: true)
            CaptureMetrics.rolloutInForce(since: Timestamp(millisecondsSince1970: 1500))
        }
        let exposition = try StrictExposition(registry.render())
        for metric in MetricCatalogue.all {
            #expect(exposition.types[metric.name] == metric.kind.rawValue, "\(metric.name)")
        }
        #expect(exposition.types.count == MetricCatalogue.all.count)
        #expect(exposition.value("capture_registrations_total", ["outcome": "challenge_invalid"]) == "1")
        #expect(exposition.value("capture_connections_refused_total", ["outcome": "dropped"]) == "1")
        #expect(exposition.value("capture_jobs_total", ["result": "verified", "reason": ""]) == "1")
        #expect(exposition.value("capture_jobs_total", ["result": "rejected", "reason": "COUNTER_REPLAY"]) == "1")
        #expect(exposition.value("capture_upload_bytes_count") == "1")
        #expect(exposition.value("capture_attestation_verification_seconds_sum") == "0.0015")
        #expect(exposition.value("capture_queue_oldest_age_seconds") == "90")
        #expect(exposition.value("capture_developer_key_refused", ["environment": "development"]) == "1")
        #expect(exposition.value("capture_metrics_dropped_series_total") == "0")
    }

    @Test func `what is counted is there from the start, with every label value that is listed`() throws {
        let exposition = try StrictExposition(PrometheusRegistry().render())
        for metric in MetricCatalogue.all where metric.kind == .counter {
            for values in metric.series {
                let labels = Dictionary(uniqueKeysWithValues: zip(metric.labels.map(\.name), values))
                #expect(exposition.value(metric.name, labels) == "0", "\(metric.name) \(labels)")
            }
        }
    }

    @Test func `a capture rejected for its signature counts among the refused signatures, a replay does not again`()
        throws
    {
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            CaptureMetrics.jobs(.rejected, .signatureInvalid)
            CaptureMetrics.jobs(.rejected, .counterReplay)
        }
        let exposition = try StrictExposition(registry.render())
        #expect(exposition.value("capture_signature_failures_total", ["reason": "SIGNATURE_INVALID"]) == "1")
        #expect(exposition.value("capture_signature_failures_total", ["reason": "COUNTER_REPLAY"]) == "0")
    }

    @Test func `the rulings of a batch are added to the series of their mode, outcome and requirement`() throws {
        func ruling(_ mode: RolloutMode, bucket: Int, _ unmet: [RolloutRequirement]) -> RolloutRuling {
            RolloutRuling(
                policy: .hash([]), mode: mode, bucket: bucket, bucketsWithin: 5000,
                facts: .init(osVersion: nil, bundleVersion: nil, validationCategory: nil), unmet: unmet)
        }
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            CaptureMetrics.rollouts(
                [
                    ruling(.enforce, bucket: 1, []), ruling(.enforce, bucket: 2, []), ruling(.monitor, bucket: 3, []),
                    ruling(.enforce, bucket: 4, [.osVersion, .bundleVersion]),
                    ruling(.enforce, bucket: 5, [.osVersion]), ruling(.monitor, bucket: 6, [.osVersion]),
                    ruling(.enforce, bucket: 7000, []), ruling(.enforce, bucket: 8000, [.osVersion]),
                ], of: .capture)
            CaptureMetrics.rollouts([ruling(.enforce, bucket: 9, [])], of: .attestation)
        }
        let exposition = try StrictExposition(registry.render())
        func rulings(_ mode: String, _ outcome: String, of subject: String = "capture") -> String? {
            exposition.value(
                "capture_rollout_rulings_total", ["subject": subject, "mode": mode, "outcome": outcome])
        }
        #expect(rulings("enforce", "accepted") == "2" && rulings("monitor", "accepted") == "1")
        #expect(rulings("enforce", "rejected") == "2" && rulings("monitor", "would_reject") == "1")
        #expect(rulings("enforce", "outside") == "1" && rulings("enforce", "outside_unmet") == "1")
        #expect(rulings("enforce", "accepted", of: "attestation") == "1")
        func unmet(_ mode: String, _ requirement: String) -> String? {
            exposition.value(
                "capture_rollout_unmet_total", ["subject": "capture", "mode": mode, "requirement": requirement])
        }
        #expect(unmet("enforce", "os_version") == "2" && unmet("monitor", "os_version") == "1")
        #expect(unmet("enforce", "bundle_version") == "1" && unmet("monitor", "bundle_version") == "0")
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
