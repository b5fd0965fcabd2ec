import CaptureModel
import CoreMetrics
import TestSupport
import Testing

@testable import Observability

@Suite struct CaptureMetricsTests {
    /// What a call leaves of a metric: its value, or of a histogram the sum.
    private struct Told {
        let metric: MetricDefinition
        let labels: [String: String]
        let value: String

        init(_ metric: MetricDefinition, _ labels: [String: String] = [:], _ value: String = "1") {
            (self.metric, self.labels, self.value) = (metric, labels, value)
        }
    }

    /// A typed function's call.
    ///
    /// No two values of one are alike, so that none passes for another.
    private struct Call {
        let told: [Told]
        let make: @Sendable () -> Void

        init(_ told: Told..., make: @escaping @Sendable () -> Void) {
            (self.told, self.make) = (told, make)
        }
    }

    private static let calls: [Call] = [
        Call(Told(MetricCatalogue.registrations, ["outcome": "challenge_invalid"])) {
            CaptureMetrics.registration(.challengeInvalid)
        },
        Call(Told(MetricCatalogue.attestationSeconds, [:], "0.0015")) {
            CaptureMetrics.attestationVerification(took: .microseconds(1500))
        },
        Call(Told(MetricCatalogue.challenges)) { CaptureMetrics.challengeIssued() },
        Call(Told(MetricCatalogue.rateLimited)) { CaptureMetrics.rateLimited() },
        Call(Told(MetricCatalogue.signatureFailures, ["reason": "RP_ID_MISMATCH"], "3")) {
            CaptureMetrics.signatureFailure(.rpIDMismatch, by: 3)
        },
        Call(Told(MetricCatalogue.uploads, ["outcome": "accepted"]), Told(MetricCatalogue.uploadBytes, [:], "2000")) {
            CaptureMetrics.upload(.accepted, bytes: 2000)
        },
        Call(Told(MetricCatalogue.uploads, ["outcome": "queue_full"]), Told(MetricCatalogue.uploadBytes, [:], "0")) {
            CaptureMetrics.upload(.queueFull, bytes: 2000)
        },
        Call(
            Told(MetricCatalogue.requests, ["route": "/api/v1/captures", "status": "202"]),
            Told(MetricCatalogue.requestSeconds, ["route": "/api/v1/captures"], "0.012")
        ) { CaptureMetrics.request(route: "/api/v1/captures", status: 202, took: .milliseconds(12)) },
        Call(Told(MetricCatalogue.connectionsRefused, ["outcome": "dropped"])) {
            CaptureMetrics.connectionRefused(.dropped)
        },
        Call(Told(MetricCatalogue.intakeRows, [:], "3"), Told(MetricCatalogue.intakeGroup, [:], "3")) {
            CaptureMetrics.intakeRecorded(3)
        },
        Call(Told(MetricCatalogue.intakeRestored, ["bytes": "lost"])) { CaptureMetrics.intakeRestored(.lost) },
        Call(Told(MetricCatalogue.intakeInvalid)) { CaptureMetrics.intakeInvalid() },
        Call(
            Told(MetricCatalogue.queueCaptures, [:], "5"), Told(MetricCatalogue.queueCapturesMax, [:], "10"),
            Told(MetricCatalogue.queueBytes, [:], "7"), Told(MetricCatalogue.queueBytesMax, [:], "70"),
            Told(MetricCatalogue.queueFillRatio, [:], "0.875")
        ) { CaptureMetrics.queueFill(captures: 5, capturesMax: 10, bytes: 7, bytesMax: 70, ratio: 0.875) },
        Call(Told(MetricCatalogue.queueOldestAge, [:], "90")) { CaptureMetrics.queueOldestAge(.seconds(90)) },
        Call(Told(MetricCatalogue.queueLanes, ["state": "delayed"], "4")) { CaptureMetrics.queueLanes(.delayed, 4) },
        Call(Told(MetricCatalogue.queueDeadLetters, [:], "2"), Told(MetricCatalogue.queuePaused)) {
            CaptureMetrics.queueCare(deadLetters: 2, isPaused: true)
        },
        Call(Told(MetricCatalogue.jobs, ["result": "verified", "reason": ""], "2")) {
            CaptureMetrics.jobs(.verified, by: 2)
        },
        Call(Told(MetricCatalogue.jobs, ["result": "rejected", "reason": "COUNTER_REPLAY"])) {
            CaptureMetrics.jobs(.rejected(.counterReplay))
        },
        Call(Told(MetricCatalogue.counterConflicts, [:], "2")) { CaptureMetrics.counterConflicts(2) },
        Call(
            Told(MetricCatalogue.deadLetters, ["reason": "BUNDLE_MISSING"]),
            Told(MetricCatalogue.jobs, ["result": "failed", "reason": "BUNDLE_MISSING"])
        ) { CaptureMetrics.deadLetter(.bundleMissing) },
        Call(Told(MetricCatalogue.retries, ["reason": "bundle"])) { CaptureMetrics.retry(.bundle) },
        Call(Told(MetricCatalogue.stageSeconds, ["stage": "give_back"], "0.5")) {
            CaptureMetrics.stage(.giveBack, took: .milliseconds(500))
        },
        Call(Told(MetricCatalogue.stageSeconds, ["stage": "verify"], "3")) {
            CaptureMetrics.stage(.verify, took: [.seconds(1), .seconds(2)])
        },
        Call(Told(MetricCatalogue.settlementSeconds, [:], "2")) { CaptureMetrics.settlements(took: [.seconds(2)]) },
        Call(Told(MetricCatalogue.lanesTakenOver, [:], "2")) { CaptureMetrics.lanesTakenOver(2) },
        Call(Told(MetricCatalogue.leasesLost, [:], "3")) { CaptureMetrics.leasesLost(3) },
        Call(
            Told(MetricCatalogue.workerLanes, ["state": "busy"], "3"),
            Told(MetricCatalogue.workerLanes, ["state": "limit"], "8")
        ) { CaptureMetrics.workerLanes(busy: 3, limit: 8) },
        Call(Told(MetricCatalogue.partitionsRefused, [:], "2")) { CaptureMetrics.partitionsRefused(2) },
        Call(
            Told(MetricCatalogue.poolConnections, ["pool": "reconciler", "state": "busy"], "1"),
            Told(MetricCatalogue.poolConnections, ["pool": "reconciler", "state": "idle"], "2"),
            Told(MetricCatalogue.poolWaiters, ["pool": "reconciler"], "3")
        ) { CaptureMetrics.pool(.reconciler, busy: 1, idle: 2, waiters: 3) },
        Call(Told(MetricCatalogue.dependencyUp, ["dependency": "postgres"])) {
            CaptureMetrics.dependency(.postgres, isUp: true)
        },
        Call(Told(MetricCatalogue.durabilityProblems, ["gravity": "loss"], "2")) {
            CaptureMetrics.durabilityProblems(2, .loss)
        },
        Call(
            Told(MetricCatalogue.redisMemory, [:], "300"), Told(MetricCatalogue.redisMemoryMax, [:], "400")
        ) { CaptureMetrics.redisMemory(taken: 300, limit: 400) },
        Call(Told(MetricCatalogue.clockOffset, ["dependency": "redis"], "-600.5")) {
            CaptureMetrics.clock(of: .redis, ahead: .milliseconds(-600_500))
        },
        Call(
            Told(MetricCatalogue.buildInfo, ["program": ProgramName.worker.rawValue, "version": "0.1"]),
            Told(MetricCatalogue.startTime, [:], "1.5")
        ) { CaptureMetrics.started(.worker, version: "0.1", at: Timestamp(millisecondsSince1970: 1500)) },
        Call(Told(MetricCatalogue.residentMemory, [:], "4096")) { CaptureMetrics.residentMemory(4096) },
        Call(Told(MetricCatalogue.receiptExchanges, ["outcome": ReceiptOutcome.unknown.rawValue])) {
            CaptureMetrics.receiptExchange(.unknown)
        },
        Call(Told(MetricCatalogue.developerKeyRefused, ["environment": "development"])) {
            CaptureMetrics.developerKey(isRefused: true, in: .development)
        },
        Call(Told(MetricCatalogue.enrolments, ["step": "password", "outcome": "refused"])) {
            CaptureMetrics.enrolment(.password, .refused)
        },
        Call(
            Told(MetricCatalogue.rolloutRulings, ["subject": "capture", "mode": "enforce", "outcome": "rejected"]),
            Told(MetricCatalogue.rolloutUnmet, ["subject": "capture", "mode": "enforce", "requirement": "os_version"])
        ) { CaptureMetrics.rollouts([Self.ruling(.enforce, bucket: 1, [.osVersion])], of: .capture) },
        Call(Told(MetricCatalogue.rolloutReloads, ["outcome": "refused"])) { CaptureMetrics.rolloutReload(.refused) },
        Call(Told(MetricCatalogue.rolloutFileInForce)) { CaptureMetrics.rolloutFile(isInForce: true) },
        Call(Told(MetricCatalogue.rolloutSince, [:], "1.5")) {
            CaptureMetrics.rolloutInForce(since: Timestamp(millisecondsSince1970: 1500))
        },
    ]

    private static func ruling(_ mode: RolloutMode, bucket: Int, _ unmet: [RolloutRequirement]) -> RolloutRuling {
        RolloutRuling(
            policy: .hash([]), mode: mode, bucket: bucket, bucketsWithin: 5000,
            facts: .init(osVersion: nil, bundleVersion: nil, validationCategory: nil), unmet: unmet)
    }

    @Test func `every typed function arrives at its metric of the catalogue, and every metric has one`() throws {
        for call in Self.calls {
            let registry = PrometheusRegistry()
            withMetricsFactory(registry) { call.make() }
            let exposition = try StrictExposition(registry.render())
            for told in call.told {
                let name = told.metric.name
                #expect(exposition.types[name] == told.metric.kind.rawValue, "\(name)")
                let sample = told.metric.kind == .histogram ? name + "_sum" : name
                #expect(exposition.value(sample, told.labels) == told.value, "\(name) \(told.labels)")
            }
            #expect(exposition.value("capture_metrics_dropped_series_total") == "0")
        }
        let names = Set(Self.calls.flatMap { $0.told.map(\.metric.name) })
        // The registry's own.
        #expect(names == Set(MetricCatalogue.all.map(\.name)).subtracting([MetricCatalogue.droppedSeries.name]))
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
            CaptureMetrics.jobs(.rejected(.signatureInvalid))
            CaptureMetrics.jobs(.rejected(.counterReplay))
        }
        let exposition = try StrictExposition(registry.render())
        #expect(exposition.value("capture_signature_failures_total", ["reason": "SIGNATURE_INVALID"]) == "1")
        #expect(exposition.value("capture_signature_failures_total", ["reason": "COUNTER_REPLAY"]) == "0")
    }

    @Test func `the rulings of a batch are added to the series of their mode, outcome and requirement`() throws {
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            CaptureMetrics.rollouts(
                [
                    Self.ruling(.enforce, bucket: 1, []), Self.ruling(.enforce, bucket: 2, []),
                    Self.ruling(.monitor, bucket: 3, []),
                    Self.ruling(.enforce, bucket: 4, [.osVersion, .bundleVersion]),
                    Self.ruling(.enforce, bucket: 5, [.osVersion]), Self.ruling(.monitor, bucket: 6, [.osVersion]),
                    Self.ruling(.enforce, bucket: 7000, []), Self.ruling(.enforce, bucket: 8000, [.osVersion]),
                ], of: .capture)
            CaptureMetrics.rollouts([Self.ruling(.enforce, bucket: 9, [])], of: .attestation)
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
