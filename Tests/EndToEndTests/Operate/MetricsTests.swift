import AsyncHTTPClient
import CaptureModel
import DeviceSimulator
import FaultPoints
import Foundation
import GatewayClient
import NIOCore
import NIOHTTP1
import Observability
import TestSupport
import Testing

@Suite("Gateway and worker tell their numbers", .timeLimit(.minutes(5)))
struct MetricsTests {
    @Test func `both programs show every metric of their contract and no other, and a capture's move`() async throws {
        // Without a file nothing tells since when one is in force.
        let folder = try TemporaryDirectory.make("metrics")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("rollout.yaml")
        try Data("apps:\n  \(Stack.appID): {mode: off}\n".utf8).write(to: file)
        let stack = try await Stack.start(
            settings: ["CAPTURE_GATEWAY_PRECHECK": "none", "CAPTURE_ROLLOUT_FILE": file.path])
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let signed = try phone.shoot(seed: 1)
        #expect(try await phone.settled(try await phone.upload(signed)).state == .verified)
        let other = try phone.shoot(seed: 2)
        let tampered = try await phone.upload(other, showing: other.capture.photoTampered())
        #expect(try await phone.settled(tampered).reason == "SIGNATURE_INVALID")
        let replay = try await phone.upload(signed, showing: signed.capture.metadataRewritten())
        #expect(try await phone.settled(replay).reason == "COUNTER_REPLAY")

        let scrapes = [try await Scrape(gateway, "listening on "), try await Scrape(worker, "metrics at ")]
        // A verdict is told from its commit on; the worker counts it, and takes it out of the queue, a moment later.
        try await eventually {
            let atWorker = try await scrapes[1].exposition()
            return atWorker.value("capture_settlement_seconds_count") == "3"
                && atWorker.value("capture_queue_captures") == "0"
        }
        let (atGateway, atWorker) = (try await scrapes[0].exposition(), try await scrapes[1].exposition())
        #expect(Set(atGateway.types.keys) == Set(MetricCatalogue.of(.gateway).map(\.name)))
        #expect(Set(atWorker.types.keys) == Set(MetricCatalogue.of(.worker).map(\.name)))

        #expect(atGateway.value("capture_registrations_total", ["outcome": "verified"]) == "1")
        #expect(atGateway.value("capture_uploads_total", ["outcome": "accepted"]) == "3")
        #expect(atGateway.value("capture_challenges_issued_total") == "1")
        #expect(atGateway.value("capture_attestation_verification_seconds_count") == "1")
        #expect(atGateway.value("capture_upload_bytes_count") == "3")
        #expect(atGateway.value("capture_intake_rows_total") == "3")
        #expect(atGateway.connections(of: "reconciler") > 0)
        #expect(
            atGateway.value("capture_http_requests_total", ["route": "/api/v1/captures", "status": "202"]) == "3")
        #expect(atWorker.value("capture_jobs_total", ["result": "verified", "reason": ""]) == "1")
        #expect(atWorker.value("capture_jobs_total", ["result": "rejected", "reason": "COUNTER_REPLAY"]) == "1")
        #expect(atWorker.value("capture_signature_failures_total", ["reason": "SIGNATURE_INVALID"]) == "1")
        for stage in CaptureMetrics.Stage.allCases {
            let count = atWorker.value("capture_stage_seconds_count", ["stage": stage.rawValue])
            #expect(count.flatMap(Int.init) ?? 0 > 0, "\(stage)")
        }
        for exposition in [atGateway, atWorker] {
            #expect(exposition.value("capture_queue_captures") == "0")
            #expect(exposition.value("capture_dependency_up", ["dependency": "redis"]) == "1")
            #expect(exposition.value("capture_dependency_up", ["dependency": "postgres"]) == "1")
            #expect(exposition.connections(of: "record") > 0)
            #expect(exposition.value("capture_metrics_dropped_series_total") == "0")
            #expect(
                exposition.samples.contains {
                    $0.name == "capture_build_info" && $0.labels["version"] == ProcessorVersion.current
                })
        }
    }

    @Test(.enabled(if: Repository.program("promtool") != nil, "promtool is there: Config/local/install.sh gets it"))
    func `promtool takes what both programs tell`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        #expect(try await phone.settled(try await phone.upload(try phone.shoot(seed: 1))).state == .verified)
        for (process, words) in [(gateway, "listening on "), (worker, "metrics at ")] {
            try await Self.check(try await Scrape(process, words).text("/metrics").body)
        }
    }

    /// Has Prometheus's own checker read an exposition.
    private static func check(_ text: String) async throws {
        let promtool = try #require(Repository.program("promtool"))
        let folder = try TemporaryDirectory.make("metrics")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("metrics.txt")
        try Data(text.utf8).write(to: file)
        let run = try await LeashedProcess.run(
            "/bin/sh", ["-c", "exec \"$0\" check metrics <\"$1\"", promtool, file.path])
        #expect(run.exitCode == 0, "\(run.output)")
    }

    @Test func `a worker without Redis is alive, not ready, and still tells its numbers`() async throws {
        let stack = try await Stack.start()
        let worker = try stack.worker()
        let scrape = try await Scrape(worker, "metrics at ")
        try await eventually { try await scrape.text("/readyz").status == 200 }
        #expect(try await scrape.text("/healthz").status == 200)
        try await stack.redis.kill()
        let answer = try await scrape.text("/readyz")
        #expect(answer.status == 503)
        #expect(answer.body == #"{"data":{"dependencies":{"postgres":"up","redis":"down"},"status":"unavailable"}}"#)
        #expect(try await scrape.text("/healthz").status == 200)
        let exposition = try await scrape.exposition()
        #expect(exposition.value("capture_dependency_up", ["dependency": "redis"]) == "0")
        #expect(exposition.value("capture_dependency_up", ["dependency": "postgres"]) == "1")
        #expect(try await scrape.text("/other").status == 404)
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/net/if_inet6"), "the machine has IPv6"))
    func `the addresses that both programs announce can be asked, of IPv6 as well`() async throws {
        let stack = try await Stack.start()
        let (gateway, _) = try await stack.gateway(["CAPTURE_GATEWAY_HOST": "::1"])
        let worker = try stack.worker(["CAPTURE_WORKER_METRICS_HOST": "::1"])
        for (process, words) in [(gateway, "listening on "), (worker, "metrics at ")] {
            try await process.line(containing: "\(words)http://[::1]:")
            #expect(try await Scrape(process, words).text("/healthz").status == 200)
        }
    }

    @Test func `a server that answers and refuses its work is away, whatever a probe finds`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_WORKER_OUTAGE_HOLD": "500ms"])
        let first = try await stack.gateway()
        let phone = try await Phone.register(with: first.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        try await first.process.kill()
        // As a replica is: it can be read, and every statement that writes is refused.
        let (database, server) = (stack.databaseName, stack.postgres)
        try await server.psql("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let late = Phone(id: phone.id, level: phone.level, device: phone.device, gateway: client)
        let signed = try phone.shoot(seed: 2)
        let refusal = try await late.refusal(of: signed)
        #expect(refusal.status == 503 && refusal.code == "UNAVAILABLE")
        let scrapes = [try await Scrape(gateway, "listening on "), try await Scrape(worker, "metrics at ")]
        for process in [gateway, worker] { try await process.line(containing: "postgres is away") }
        // Longer than the calm after which what answers counts as back.
        let end = ContinuousClock.now + .seconds(2)
        var answers: Set<Int> = []
        repeat {
            for scrape in scrapes {
                answers.insert(try await scrape.text("/readyz").status)
                let isUp = try await scrape.exposition().value("capture_dependency_up", ["dependency": "postgres"])
                #expect(isUp == "0")
            }
        } while ContinuousClock.now < end
        #expect(answers == [503], "nothing can be taken on")
        try await server.psql("ALTER DATABASE \(database) RESET default_transaction_read_only")
        try await server.psql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '\(database)'")
        for id in [capture, try await late.upload(signed)] {
            #expect(try await late.settled(id).state == .verified)
        }
        for scrape in scrapes {
            try await eventually {
                try await scrape.exposition().value("capture_dependency_up", ["dependency": "postgres"]) == "1"
            }
        }
    }

    @Test func `the age of the oldest capture grows while nobody works it, and is nothing once it is settled`()
        async throws
    {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let scrape = try await Scrape(gateway, "listening on ")
        func gauge(_ name: String) async throws -> Double {
            try #require(try await scrape.exposition().value("capture_queue_\(name)").flatMap { Double($0) })
        }
        #expect(try await gauge("oldest_age_seconds") == 0)
        let worker = try stack.worker()
        try await worker.line(containing: "worker is ready")
        #expect(try await stack.capturectl("pause").exitCode == 0)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        try await eventually { try await gauge("oldest_age_seconds") > 0 }
        let age = try await gauge("oldest_age_seconds")
        try await eventually { try await gauge("oldest_age_seconds") > age }
        #expect(try await gauge("paused") == 1)
        #expect(try await gauge("captures") == 1)
        #expect(try await stack.capturectl("resume").exitCode == 0)
        #expect(try await phone.settled(capture).state == .verified)
        try await eventually { try await gauge("oldest_age_seconds") == 0 }
        for process in [gateway, worker] { process.signal(SIGTERM) }
        for process in [gateway, worker] { #expect(try await process.exitCode() == 0) }
    }

    @Test func `a lane taken over from a killed worker and a poisoned capture are counted`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_LEASE": "2s", "CAPTURE_QUEUE_DELIVERIES_MAX": "2"])
        let (gateway, client) = try await stack.gateway()
        defer { withExtendedLifetime(gateway) {} }
        let phone = try await Phone.register(with: client, authority: stack.authority)
        try await expectTakenOver(try await phone.upload(try phone.shoot(seed: 0)), of: phone, in: stack)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        for _ in 1...2 {
            let victim = try stack.worker([ArmedFaults.Variable.point: "after-fetch"])
            #expect(try await victim.exitCode() == 128 + SIGKILL)
        }
        let worker = try stack.worker()
        let scrape = try await Scrape(worker, "metrics at ")
        #expect(try await phone.settled(capture).state == .failed)
        try await eventually {
            try await scrape.exposition()
                .value("capture_dead_letters_total", ["reason": "DELIVERIES_EXHAUSTED"]) == "1"
        }
        let exposition = try await scrape.exposition()
        #expect(exposition.value("capture_queue_dead_letters") == "1")
        #expect(
            exposition.value("capture_jobs_total", ["result": "failed", "reason": "DELIVERIES_EXHAUSTED"]) == "1")
    }

    /// Has a capture's worker killed with it in its hands; the next one verifies it, and tells where it came from.
    private func expectTakenOver(_ capture: CaptureID, of phone: Phone, in stack: Stack) async throws {
        // However often a busy machine lets a lease run out, the capture is delivered once more.
        let patient = ["CAPTURE_QUEUE_DELIVERIES_MAX": "100"]
        let victim = try stack.worker(patient.merging([ArmedFaults.Variable.point: "after-fetch"]) { $1 })
        #expect(try await victim.exitCode() == 128 + SIGKILL)
        let heir = try stack.worker(patient)
        #expect(try await phone.settled(capture).state == .verified)
        let lanes = try await Scrape(heir, "metrics at ").exposition().value("capture_lanes_taken_over_total")
        #expect(lanes.flatMap(Int.init) ?? 0 > 0)
        try await heir.expectStop()
    }
}

extension StrictExposition {
    /// The connections of a pool, busy or idle.
    fileprivate func connections(of pool: String) -> Int {
        ["busy", "idle"].reduce(0) { sum, state in
            sum + (value("capture_pool_connections", ["pool": pool, "state": state]).flatMap { Int($0) } ?? 0)
        }
    }
}

/// What a running program tells whoever watches it.
struct Scrape: Sendable {
    private let address: String

    /// Waits for the line in which the program names its address.
    init(_ process: LeashedProcess, _ words: String) async throws {
        let line = try await process.line(containing: "\(words)http://")
        let rest = try #require(line.firstRange(of: "http://")).lowerBound
        address = String(line[rest...].prefix { $0 != " " && $0 != "\"" }).replacing("/metrics", with: "")
    }

    /// Asks for a path.
    func text(_ path: String) async throws -> (status: Int, body: String) {
        let (response, bytes) = try await Stack.execute(HTTPClientRequest(url: address + path))
        return (Int(response.status.code), String(buffer: bytes))
    }

    /// The numbers, read strictly.
    func exposition() async throws -> StrictExposition {
        try StrictExposition(try await text("/metrics").body)
    }
}
