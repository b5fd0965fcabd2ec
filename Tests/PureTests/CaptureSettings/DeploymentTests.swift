import CaptureGateway
import CaptureModel
import CaptureProcessing
import Foundation
import GatewaySettings
import RedisClient
import TestSupport
import Testing
import WorkerSettings

@testable import CaptureSettings
@testable import ServerProgram

/// Holds the files of `Config/deploy` to the programs' settings and limits.
@Suite("What is deployed fits the programs", .timeLimit(.minutes(2)))
struct DeploymentTests {
    // MARK: Settings

    @Test func `each CAPTURE_… name is a setting's`() throws {
        let known = Set(Setting.all.map(\.environmentName)).union(["CAPTURE_CONFIG"])
        var found: Set<String> = []
        for file in try DeployedFiles.all() {
            let names = Set(try DeployedFiles.text(file).matches(of: /\bCAPTURE_[A-Z0-9_]+/).map { String($0.output) })
            #expect(names.subtracting(known) == [], "\(file)")
            found.formUnion(names)
        }
        #expect(found.count > 8)
    }

    @Test(arguments: DeployedFiles.ways)
    func `the settings are taken as they stand, and those of the examples too`(files: [String]) async throws {
        let settings = try await DeployedFiles.settings(files)
        _ = try settings.workerConfiguration()
        _ = try settings.watchdogLimits()
        _ = try settings.gatewayConfiguration()
        _ = try settings.redisConfiguration(name: "test")
    }

    /// The migration and the runbooks' commands have the shared settings, and not the file that gateway.yaml mounts.
    @Test func `a threshold of the risk is taken by whoever is not handed Apple's key`() async throws {
        let settings = try await DeployedFiles.settings(
            ["kubernetes/settings.yaml", "kubernetes/secrets.env.example"],
            adding: ["CAPTURE_RECEIPTS_RISK_WARNING": "10"], as: .capturectl)
        #expect(settings.text(.receiptsRiskWarning) == "10")
    }

    /// redis-cli, which the runbooks call with the same address, takes no password without a user.
    @Test(arguments: DeployedFiles.containers)
    func `the password for Redis comes with its user`(files: [String]) async throws {
        let redis = try await DeployedFiles.settings(files).redisConfiguration(name: "test")
        #expect(redis.username == "default" && redis.password?.isEmpty == false)
    }

    @Test(arguments: DeployedFiles.pods)
    func `no variable that Kubernetes makes of a Service's name reaches a program`(file: String) async throws {
        #expect(try DeployedFiles.text(file).contains("\n      enableServiceLinks: false\n"))
        let fault = await #expect(throws: SettingsError.self) {
            _ = try await Settings(arguments: [], environment: ["CAPTURE_GATEWAY_PORT": "tcp://10.0.0.1:8080"])
        }
        #expect(fault?.description.hasPrefix("gateway.port: 'tcp://10.0.0.1:8080' is not") == true)
    }

    // MARK: Limits

    @Test func `nobody is killed who is still stopping`() async throws {
        var stop = Duration.zero
        for files in DeployedFiles.ways {
            stop = try await max(stop, DeployedFiles.settings(files).stopLimit + StopLimit.grace)
        }
        var times = try DeployedFiles.numbers("compose.yaml", /stop_grace_period: (\d+)s/)
        #expect(times.count == 3)
        for unit in DeployedFiles.units.prefix(2) {
            let own = try DeployedFiles.numbers(unit, /TimeoutStopSec=(\d+)\n/)
            #expect(own.count == 1, "\(unit)")
            times += own
        }
        for pod in DeployedFiles.pods.prefix(2) {
            let own = try DeployedFiles.numbers(pod, /terminationGracePeriodSeconds: (\d+)\n/)
            let pause = try DeployedFiles.numbers(pod, /command: \[sleep, "(\d+)"\]/).reduce(0, +)
            #expect(own.count == 1, "\(pod)")
            times += own.map { $0 - pause }
        }
        for time in times { #expect(Duration.seconds(time) > stop) }
    }

    @Test func `a worker's watchdog sees too much memory before anybody who kills does`() async throws {
        let limits =
            try Self.composeMemory("worker")
            + DeployedFiles.numbers("systemd/capture-worker@.service", /\nMemoryMax=(\d+)M\n/)
            + DeployedFiles.numbers("kubernetes/worker.yaml", /limits: \{ memory: (\d+)Mi \}/)
        #expect(limits.count == 3)
        for files in DeployedFiles.ways {
            let most = try await DeployedFiles.settings(files).watchdogLimits().memoryMax
            for limit in limits { #expect(limit << 20 > most) }
        }
    }

    /// What anybody may make it hold at once, all limits used up: nobody may get it killed with every upload in flight.
    @Test func `a gateway holds whatever it lets in before anybody kills it`() async throws {
        let limits =
            try Self.composeMemory("gateway")
            + DeployedFiles.numbers("systemd/capture-gateway.service", /\nMemoryMax=(\d+)M\n/)
            + DeployedFiles.numbers("kubernetes/gateway.yaml", /limits: \{ memory: (\d+)Mi \}/)
        #expect(limits.count == 3)
        for files in DeployedFiles.ways {
            let gateway = try await DeployedFiles.settings(files).gatewayConfiguration()
            // Measured with 4,000 connections: 145 KiB each after heads of 31 KB, with answers that nobody takes.
            let idle = 2 * gateway.requests.headerBytesMax + 96 << 10
            // What is read of a body that no route has asked for, or ahead of one whose length nobody knows.
            let connections = gateway.connections.countMax * (idle + 56 << 10)
            // The parts of a body, and the whole that is made of them.
            let bodies = gateway.uploads.bytesInFlightMax + 2 * gateway.requests.jsonBytesInFlightMax
            let uploads = gateway.uploads
            let pictures = gateway.reading.picturesMax * (uploads.photoBytesMax + 2 * uploads.depthBytesMax)
            let program = 64 << 20
            for limit in limits { #expect(limit << 20 > connections + bodies + pictures + program) }
        }
    }

    /// The MiB that Compose lets a service have.
    private static func composeMemory(_ service: String) throws -> [Int] {
        let lines = try #require(try DeployedFiles.services()[service])
        return DeployedFiles.words(lines.joined(separator: "\n"), /mem_limit: (\d+)m\n/).compactMap { Int($0) }
    }

    /// As Redis's own file bounds nothing, and `noeviction` acts at the bound.
    @Test func `Compose's Redis has a bound on its memory, with room for what it promises of settled captures`()
        async throws
    {
        let bounds = try DeployedFiles.numbers("compose.yaml", /- --maxmemory\n +- (\d+)gb\n/)
        let demand = try await DeployedFiles.settings(DeployedFiles.ways[0]).durabilityDemand
        #expect(demand.bundleStore == .filesystem && demand.queueFieldBytesMax == 2_457_600_000)
        // Measured: a known bundle for queue.acceptedRetention (24 h), a status for queue.statusRetention (1 h).
        let settledBytes = 240 * 86_400 + 330 * 3_600
        let rates = try DeployedFiles.numbers("compose.yaml", /a day of (\d+)\n +# settled captures a second/)
        #expect(rates.count == 1 && bounds.count == 1)
        for (bound, rate) in zip(bounds, rates) {
            #expect(bound << 30 > demand.queueFieldBytesMax + rate * settledBytes)
        }
        let policies = try DeployedFiles.words(Repository.text("Config/redis.conf"), /\nmaxmemory-policy ([a-z]+)\n/)
        #expect(policies == ["noeviction"])
    }

    @Test func `there is a descriptor for each connection of a gateway`() async throws {
        let limits =
            try DeployedFiles.numbers("compose.yaml", /nofile: (\d+)\n/)
            + DeployedFiles.numbers("systemd/capture-gateway.service", /LimitNOFILE=(\d+)\n/)
        #expect(limits.count == 2)
        for files in DeployedFiles.ways {
            let connections = try await DeployedFiles.settings(files).gatewayConfiguration().connections.countMax
            // What the gateway asks the system for.
            for limit in limits { #expect(limit >= connections + connections / 16 + 512) }
        }
    }

    /// Those that stop included: once a pod that comes is ready, the one that it replaces is told to stop and counts no
    /// more, so that all may be there twice at once.
    @Test func `PostgreSQL has a connection for each that the scaled programs open`() throws {
        let standard = Setting.all.first { $0.key == "postgres.connectionsMax" }?.standard
        let each = try #require(standard.flatMap { Int($0) })
        let gateways = try DeployedFiles.numbers("kubernetes/gateway.yaml", /replicas: (\d+)\n/).reduce(0, +)
        let workers = try DeployedFiles.numbers("kubernetes/autoscaling.yaml", /maxReplicaCount: (\d+)\n/).reduce(0, +)
        let surge = try DeployedFiles.pods.flatMap { try DeployedFiles.numbers($0, /maxSurge: (\d+)/) }
        let room = try #require(try DeployedFiles.numbers("../postgresql.conf", /max_connections = (\d+)\n/).first)
        #expect(gateways > 1 && workers > 1 && surge == [1, 1])
        // The reconciler has two of its own; three are kept for superusers.
        #expect(2 * gateways * (each + 2) + 2 * workers * each <= room - 3)
    }

    // MARK: Ports and paths

    @Test(arguments: DeployedFiles.containers)
    func `programs in containers listen where they are reached`(files: [String]) async throws {
        let settings = try await DeployedFiles.settings(files)
        let gateway = try settings.gatewayConfiguration().connections
        let worker = settings.workerMetricsAddress
        #expect(gateway.host == "0.0.0.0" && worker.host == "0.0.0.0")
        #expect(try DeployedFiles.numbers("container/Dockerfile", /\nEXPOSE (\d+) \d/) == [gateway.port])
        #expect(try DeployedFiles.numbers("container/Dockerfile", /\nEXPOSE \d+ (\d+)\n/) == [worker.port])
        #expect(try DeployedFiles.numbers("compose.yaml", /"127\.0\.0\.1:\d+:(\d+)"/) == [gateway.port])
        let checked = try DeployedFiles.numbers("compose.yaml", /http:\/\/127\.0\.0\.1:(\d+)\/readyz"/)
        #expect(checked == [gateway.port, worker.port])
        #expect(try DeployedFiles.numbers("kubernetes/gateway.yaml", /containerPort: (\d+)/) == [gateway.port])
        #expect(try DeployedFiles.numbers("kubernetes/worker.yaml", /containerPort: (\d+)/) == [worker.port])
    }
}
