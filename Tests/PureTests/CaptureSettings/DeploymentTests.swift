import CaptureGateway
import CaptureModel
import CaptureProcessing
import Foundation
import Observability
import TestSupport
import Testing

@testable import CaptureSettings

/// Holds the files of `Config/deploy` to what the programs take, show and need.
@Suite("What is deployed fits the programs", .timeLimit(.minutes(2)))
struct DeploymentTests {
    private static let folder = "Config/deploy/"
    private static let units = ["gateway", "worker@", "migrate"].map { "systemd/capture-\($0).service" }
    private static let pods = ["gateway", "worker", "migrate"].map { "kubernetes/\($0).yaml" }

    /// The files in which each way to deploy has its settings.
    private static let ways = [
        ["compose.env.example", "compose.yaml"],
        ["systemd/capture.env.example", "systemd/capture-worker@.service"],
        ["kubernetes/secrets.env.example", "kubernetes/settings.yaml"],
    ]
    /// Those of them in which a program is reached from outside of where it runs.
    private static let containers = [ways[0], ways[2]]

    // MARK: Settings

    @Test func `each CAPTURE_… name is a setting's`() throws {
        let known = Set(Setting.all.map(\.environmentName)).union(["CAPTURE_CONFIG"])
        var found: Set<String> = []
        for file in try Self.files() {
            let names = Set(try Self.text(file).matches(of: /\bCAPTURE_[A-Z0-9_]+/).map { String($0.output) })
            #expect(names.subtracting(known) == [], "\(file)")
            found.formUnion(names)
        }
        #expect(found.count > 8)
    }

    @Test(arguments: ways)
    func `the settings are taken as they stand, and those of the examples too`(files: [String]) async throws {
        let settings = try await Self.settings(files)
        _ = try settings.workerConfiguration()
        _ = try settings.watchdogLimits()
        _ = try settings.gatewayConfiguration()
        _ = try settings.redisConfiguration(name: "test")
    }

    @Test(arguments: pods)
    func `no variable that Kubernetes makes of a Service's name reaches a program`(file: String) async throws {
        #expect(try Self.text(file).contains("\n      enableServiceLinks: false\n"))
        await #expect(throws: SettingsError.self) {
            _ = try await Settings(arguments: [], environment: ["CAPTURE_GATEWAY_PORT": "tcp://10.0.0.1:8080"])
        }
    }

    // MARK: Limits

    @Test func `nobody is killed who is still stopping`() async throws {
        var stop = Duration.zero
        for files in Self.ways { stop = try await max(stop, Self.settings(files).stopLimit + StopLimit.grace) }
        var times = try Self.numbers("compose.yaml", /stop_grace_period: (\d+)s/)
        #expect(times.count == 3)
        for unit in Self.units.prefix(2) {
            let own = try Self.numbers(unit, /TimeoutStopSec=(\d+)\n/)
            #expect(own.count == 1, "\(unit)")
            times += own
        }
        for pod in Self.pods.prefix(2) {
            let own = try Self.numbers(pod, /terminationGracePeriodSeconds: (\d+)\n/)
            let pause = try Self.numbers(pod, /command: \[sleep, "(\d+)"\]/).reduce(0, +)
            #expect(own.count == 1, "\(pod)")
            times += own.map { $0 - pause }
        }
        for time in times { #expect(Duration.seconds(time) > stop) }
    }

    @Test func `a worker's watchdog sees too much memory before anybody who kills does`() async throws {
        let limits =
            try Self.numbers("compose.yaml", /\n    mem_limit: (\d+)m\n/)
            + Self.numbers("systemd/capture-worker@.service", /\nMemoryMax=(\d+)M\n/)
            + Self.numbers("kubernetes/worker.yaml", /limits: \{ memory: (\d+)Mi \}/)
        #expect(limits.count == 3)
        for files in Self.ways {
            let most = try await Self.settings(files).watchdogLimits().memoryMax
            for limit in limits { #expect(limit << 20 > most) }
        }
    }

    @Test func `there is a descriptor for each connection of a gateway`() async throws {
        let limits =
            try Self.numbers("compose.yaml", /nofile: (\d+)\n/)
            + Self.numbers("systemd/capture-gateway.service", /LimitNOFILE=(\d+)\n/)
        #expect(limits.count == 2)
        for files in Self.ways {
            let connections = try await Self.settings(files).gatewayConfiguration().connectionsMax
            // What the gateway asks the system for.
            for limit in limits { #expect(limit >= connections + connections / 16 + 512) }
        }
    }

    @Test func `PostgreSQL has a connection for each that the scaled programs open`() throws {
        let standard = Setting.all.first { $0.key == "postgres.connectionsMax" }?.standard
        let each = try #require(standard.flatMap { Int($0) })
        let gateways = try Self.numbers("kubernetes/gateway.yaml", /replicas: (\d+)\n/).reduce(0, +)
        let workers = try Self.numbers("kubernetes/autoscaling.yaml", /maxReplicaCount: (\d+)\n/).reduce(0, +)
        let surge = try Self.pods.flatMap { try Self.numbers($0, /maxSurge: (\d+)/) }
        let room = try #require(try Self.numbers("../postgresql.conf", /max_connections = (\d+)\n/).first)
        #expect(gateways > 1 && workers > 1 && surge == [1, 1])
        // The reconciler has two of its own; three are kept for superusers.
        #expect((gateways + 1) * (each + 2) + (workers + 1) * each <= room - 3)
    }

    // MARK: Ports and paths

    @Test(arguments: containers)
    func `programs in containers listen where they are reached`(files: [String]) async throws {
        let settings = try await Self.settings(files)
        let gateway = try settings.gatewayConfiguration()
        let worker = settings.workerMetricsAddress
        #expect(gateway.host == "0.0.0.0" && worker.host == "0.0.0.0")
        #expect(try Self.numbers("container/Dockerfile", /\nEXPOSE (\d+) \d/) == [gateway.port])
        #expect(try Self.numbers("container/Dockerfile", /\nEXPOSE \d+ (\d+)\n/) == [worker.port])
        #expect(try Self.numbers("compose.yaml", /"127\.0\.0\.1:\d+:(\d+)"/) == [gateway.port])
        #expect(
            try Self.numbers("compose.yaml", /http:\/\/127\.0\.0\.1:(\d+)\/readyz"/) == [gateway.port, worker.port])
        #expect(try Self.numbers("kubernetes/gateway.yaml", /containerPort: (\d+)/) == [gateway.port])
        #expect(try Self.numbers("kubernetes/worker.yaml", /containerPort: (\d+)/) == [worker.port])
    }

    @Test func `probes ask for what the programs answer, and restart nobody for a server that is away`() throws {
        let gateway = try Repository.text("Sources/CaptureGateway/API/Operation.swift")
        let worker = try Repository.text("Sources/ProcessHealth/HealthListener.swift")
        for pod in Self.pods.prefix(2) {
            let text = try Self.text(pod)
            let live = text.matches(of: /livenessProbe:\n +httpGet: \{ path: (\S+),/).map { String($0.output.1) }
            let ready = text.matches(of: /readinessProbe:\n +httpGet: \{ path: (\S+),/).map { String($0.output.1) }
            #expect(live == ["/healthz"] && ready == ["/readyz"], "\(pod)")
            for path in live + ready {
                #expect(gateway.contains("\"\(path)\"") && worker.contains("router.get(\"\(path)\")"), "\(path)")
            }
        }
    }

    // MARK: Programs and metrics

    @Test func `the image holds the package's programs, and one of them is what is started`() throws {
        let products = try Self.words(Repository.text("Package.swift"), /\.executable\(name: "([a-z-]+)"/)
        let built = try Self.words(Self.text("container/Dockerfile"), /for program in ([a-z -]+);/)
        #expect(Set(built.flatMap { $0.split(separator: " ").map(String.init) }) == products)
        let start = /(?:command: \[|\nCMD \["|\nExecStart=\/usr\/local\/bin\/)([A-Za-z0-9_\/-]+)/
        var started: Set<String> = []
        for file in try Self.files() { started.formUnion(try Self.words(Self.text(file), start)) }
        #expect(started.subtracting(["postgres", "redis-server", "sleep"]) == products)
    }

    @Test func `the image is this release's wherever it is named`() throws {
        var versions: Set<String> = []
        for file in try Self.files() {
            versions.formUnion(try Self.words(Self.text(file), /capture-processor:([A-Za-z0-9._-]+)/))
        }
        #expect(versions == [ProcessorVersion.current])
    }

    @Test func `the image has the libraries that the README names`() throws {
        let (image, readme) = (try Self.text("container/Dockerfile"), try Repository.text("README.md"))
        for library in ["libgcc-s1", "libhiredis0.14", "libpq5", "libssl3", "libstdc++6", "zlib1g"] {
            #expect(image.contains(" \(library) ") && readme.contains("`\(library)`"), "\(library)")
        }
    }

    @Test func `workers are scaled by metrics that there are`() throws {
        let names = Set(
            try Self.text("kubernetes/autoscaling.yaml").matches(of: /\bcapture_[a-z_]+/).map { String($0.output) })
        #expect(names.count > 2)
        #expect(names.subtracting(MetricCatalogue.all.map(\.name)) == [])
    }

    // MARK: Units

    @Test func `each unit gives up what the others give up`() throws {
        let first = try Self.hardening(Self.units[0])
        #expect(first.contains("NoNewPrivileges=yes") && first.contains("ProtectSystem=strict") && first.count > 25)
        for unit in Self.units { #expect(try Self.hardening(unit) == first, "\(unit)") }
    }

    /// It exits with 0 after warnings as well, so whatever it says counts.
    @Test(
        .enabled(if: Repository.program("systemd-analyze") != nil, "systemd-analyze is there"), arguments: units)
    func `systemd finds nothing wrong but programs that are not installed`(unit: String) async throws {
        let path = Repository.directory.appendingPathComponent(Self.folder + unit).path
        let run = try await LeashedProcess.run(
            try #require(Repository.program("systemd-analyze")), ["verify", "--man=no", "--generators=no", path])
        let complaints = run.output.split(separator: "\n").filter {
            !$0.contains("Command /usr/local/bin/capture") || !$0.contains("is not executable")
        }
        #expect(complaints == [])
    }

    // MARK: Reading

    private static func text(_ file: String) throws -> String { try Repository.text(folder + file) }

    /// Whatever is for deploying programs; alert rules, dashboard and examples have tests of their own.
    private static func files() throws -> [String] {
        let root = Repository.directory.appendingPathComponent(folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted().filter { path in
            ["compose.", "container/", "kubernetes/", "systemd/"].contains { path.hasPrefix($0) }
        }
        #expect(Set(files).isSuperset(of: units + pods + ways.joined()))
        return files
    }

    private static func numbers(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> [Int] {
        try text(file).matches(of: pattern).compactMap { Int($0.output.1) }
    }

    private static func words(_ text: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.output.1) })
    }

    /// What the programs make of the files, with the lines that are commented out as if they were not.
    private static func settings(_ files: [String]) async throws -> Settings {
        let line = /(?:^|[ #=])(CAPTURE_[A-Z0-9_]+)(?:=|: )(.+)$/.anchorsMatchLineEndings()
        var environment: [String: String] = [:]
        for file in files {
            for match in try text(file).matches(of: line) {
                let value = match.output.2.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
                environment[String(match.output.1)] =
                    value.replacing(/\$\{[^}]+\}/, with: "secret").replacing("%i", with: "9464")
            }
        }
        // A path on the machine of the deployment.
        environment["CAPTURE_CONFIG"] = nil
        return try await Settings(arguments: [], environment: environment)
    }

    private static func hardening(_ unit: String) throws -> [String] {
        let text = try text(unit)
        let start = try #require(text.range(of: "# What a program of ours never needs")).lowerBound
        let lines = text[start...].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Array(lines.prefix { !$0.isEmpty })
    }
}
