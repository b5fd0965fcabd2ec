import CaptureModel
import Foundation
import Observability
import TestSupport
import Testing

/// Holds the files of `Config/deploy` to the programs that they start, and to who looks after those.
@Suite("What is deployed starts the programs, and keeps them running", .timeLimit(.minutes(2)))
struct DeployedProgramsTests {
    // MARK: Programs and metrics

    @Test func `the image holds the package's programs, and one of them is what is started`() throws {
        let products = DeployedFiles.words(try Repository.text("Package.swift"), /\.executable\(name: "([a-z-]+)"/)
        let built = DeployedFiles.words(
            try DeployedFiles.text("container/Dockerfile"), /for program in ([a-z -]+);/)
        #expect(Set(built.flatMap { $0.split(separator: " ").map(String.init) }) == products)
        let start = /(?:command: \[|\nCMD \["|\nExecStart=\/usr\/local\/bin\/)([A-Za-z0-9_\/-]+)/
        var started: Set<String> = []
        for file in try DeployedFiles.all() {
            started.formUnion(DeployedFiles.words(try DeployedFiles.text(file), start))
        }
        #expect(started.subtracting(["postgres", "redis-server", "sleep"]) == products)
    }

    @Test func `the image is this release's wherever it is named`() throws {
        var versions: Set<String> = []
        for file in try DeployedFiles.all() {
            versions.formUnion(
                DeployedFiles.words(try DeployedFiles.text(file), /capture-processor:([A-Za-z0-9._-]+)/))
        }
        #expect(versions == [ProcessorVersion.current])
    }

    @Test func `the image has the libraries that the README names`() throws {
        let (image, readme) = (try DeployedFiles.text("container/Dockerfile"), try Repository.text("README.md"))
        for library in ["libgcc-s1", "libhiredis0.14", "libpq5", "libssl3", "libstdc++6", "zlib1g"] {
            #expect(image.contains(" \(library) ") && readme.contains("`\(library)`"), "\(library)")
        }
        // No other release has all of them.
        #expect(image.contains("\nFROM debian:bookworm-slim\n") && readme.contains("A Debian 12 server"))
        #expect(try DeployedFiles.text("README.md").contains("\n# Debian 12's servers "))
    }

    @Test func `workers are scaled by metrics that there are`() throws {
        let text = try DeployedFiles.text("kubernetes/autoscaling.yaml")
        let names = Set(text.matches(of: /\bcapture_[a-z_]+/).map { String($0.output) })
        #expect(names.count > 2)
        #expect(names.subtracting(MetricCatalogue.all.map(\.name)) == [])
    }

    /// A copy has the mode of what it is copied from, which everybody may read.
    @Test func `what has passwords in it is made for its owner alone`() throws {
        let lines = try DeployedFiles.text("README.md").split(separator: "\n")
        for example in ["compose.env.example", "capture.env.example", "secrets.env.example"] {
            let line = try #require(lines.first { $0.contains("\(example) ") })
            #expect(line.contains("install ") && line.contains(" -m 600 "), "\(line)")
        }
    }

    /// Workers run as the same user, and look at what anybody has sent.
    @Test func `what seals enrolments is handed to gateways alone`() throws {
        let name = "CAPTURE_ENROLMENT_KEY_FILE"
        let holders = try DeployedFiles.all().filter { try DeployedFiles.text($0).contains(name) }
        #expect(holders == ["kubernetes/gateway.yaml", "systemd/capture-gateway.service"])
        let unit = try DeployedFiles.text(holders[1])
        #expect(unit.contains("\n# LoadCredential=enrolment.key:/") && unit.contains("=\(name)=%d/enrolment.key\n"))
        let pod = try DeployedFiles.text(holders[0])
        let folder = DeployedFiles.words(pod, /name: enrolment, mountPath: (\S+), readOnly: true/)
        #expect(folder.count == 1 && folder.allSatisfy { pod.contains("\(name), value: \($0)/enrolment.key }") })
        #expect(pod.contains("secret: { secretName: capture-enrolment, optional: true, defaultMode: 0440 }"))
    }

    @Test func `Apple's key is handed to gateways and workers, and both are told where it is`() throws {
        let name = "CAPTURE_APPLE_KEY_FILE"
        let holders = try DeployedFiles.all().filter { try DeployedFiles.text($0).contains(name) }
        #expect(Set(holders) == Set(DeployedFiles.pods.prefix(2) + DeployedFiles.units.prefix(2)))
        for unit in DeployedFiles.units.prefix(2) {
            let text = try DeployedFiles.text(unit)
            #expect(text.contains("\n# LoadCredential=apple.p8:/"), "\(unit)")
            #expect(text.contains("\n# Environment=\(name)=%d/apple.p8\n"), "\(unit)")
        }
        for file in DeployedFiles.pods.prefix(2) {
            let pod = try DeployedFiles.text(file)
            let folder = DeployedFiles.words(pod, /name: apple, mountPath: (\S+), readOnly: true/)
            #expect(folder.count == 1, "\(file)")
            #expect(folder.allSatisfy { pod.contains("\(name), value: \($0)/apple.p8 }") }, "\(file)")
            let secret = "secret: { secretName: capture-apple, optional: true, defaultMode: 0440 }"
            #expect(pod.contains("- name: apple\n          \(secret)") && pod.contains("        fsGroup: 10001\n"))
        }
        let settings = try DeployedFiles.text("kubernetes/settings.yaml")
        #expect(settings.contains("# CAPTURE_APPLE_KEY_ID: ") && settings.contains("# CAPTURE_APPLE_TEAM_ID: "))
    }

    // MARK: Probes

    @Test func `readiness asks for what the programs answer`() throws {
        let gateway = try Repository.text("Sources/CaptureGateway/API/Operation.swift")
        let worker = try Repository.text("Sources/ProcessHealth/HealthListener.swift")
        #expect(gateway.contains("\"/readyz\"") && worker.contains("router.get(\"/readyz\")"))
        for pod in DeployedFiles.pods.prefix(2) {
            let ready = DeployedFiles.words(
                try DeployedFiles.text(pod), /readinessProbe:\n +httpGet: \{ path: (\S+), port: [a-z]+ \}\n/)
            #expect(ready == ["/readyz"], "\(pod)")
        }
    }

    /// A probe needs a free connection, as every client does, and there may be none left.
    @Test func `nobody is restarted for a server that is away, or for more clients than there is room for`() throws {
        for (pod, port) in zip(DeployedFiles.pods.prefix(2), ["http", "metrics"]) {
            let text = try DeployedFiles.text(pod)
            #expect(text.contains("\n          livenessProbe:\n            tcpSocket: { port: \(port) }\n"), "\(pod)")
        }
        let listener = try Repository.text("Sources/ProcessHealth/HealthListener.swift")
        let worker = try DeployedFiles.text("kubernetes/worker.yaml")
        let limit = DeployedFiles.words(listener, /connectionsMax = (\d+)\n/)
        #expect(limit.count == 1 && limit.allSatisfy { worker.contains("than it takes (\($0))") })
    }

    // MARK: Units

    @Test func `each unit gives up what the others give up`() throws {
        let first = try Self.hardening(DeployedFiles.units[0])
        #expect(first.contains("NoNewPrivileges=yes") && first.contains("ProtectSystem=strict") && first.count > 25)
        for unit in DeployedFiles.units { #expect(try Self.hardening(unit) == first, "\(unit)") }
    }

    /// A rollout's file that is no policy, or a key on a mount that comes late, keeps a program from starting with 64.
    @Test(arguments: DeployedFiles.units.prefix(2))
    func `a program is started again whatever it has ended with`(unit: String) throws {
        let text = try DeployedFiles.text(unit)
        #expect(text.contains("\nRestart=always\n") && text.contains("\nStartLimitIntervalSec=0\n"))
        #expect(!text.contains("\nRestartPreventExitStatus="))
    }

    /// `capturectl` makes one attempt; Kubernetes tries its job again, and Compose waits for the servers before.
    @Test func `the migration's unit says that nobody waits for the servers, and what to do then`() throws {
        let unit = try DeployedFiles.text("systemd/capture-migrate.service")
        #expect(!unit.contains("waits for its servers") && !unit.contains("\nRestart="))
        #expect(unit.contains("the migration ends with 69, and\n# is to be started again"))
        #expect(try Repository.text("README.md").contains("`migrate` as well, waits for none: it ends with 69"))
        #expect(try DeployedFiles.text("kubernetes/migrate.yaml").contains("\n  backoffLimit: "))
    }

    @Test func `a shell reads the units' environment as systemd does`() async throws {
        let file = "systemd/capture.env.example"
        let path = Repository.directory.appendingPathComponent(DeployedFiles.folder + file).path
        let run = try await LeashedProcess.run("/bin/sh", ["-ec", ". \"$0\"; echo \"$CAPTURE_POSTGRES_URL\"", path])
        let urls = DeployedFiles.words(try DeployedFiles.text(file), /\nCAPTURE_POSTGRES_URL='(.+)'\n/)
        #expect(run.exitCode == 0 && urls == [run.output], "\(run.output)")
    }

    /// It exits with 0 after warnings as well, so whatever it says counts.
    @Test(
        .enabled(if: Repository.program("systemd-analyze") != nil, "systemd-analyze is there"),
        arguments: DeployedFiles.units)
    func `systemd finds nothing wrong but programs that are not installed`(unit: String) async throws {
        let path = Repository.directory.appendingPathComponent(DeployedFiles.folder + unit).path
        let run = try await LeashedProcess.run(
            try #require(Repository.program("systemd-analyze")), ["verify", "--man=no", "--generators=no", path])
        let complaints = run.output.split(separator: "\n").filter {
            !$0.contains("Command /usr/local/bin/capture") || !$0.contains("is not executable")
        }
        #expect(complaints == [])
    }

    // MARK: Compose

    @Test func `no log of a container grows without a bound`() throws {
        let text = try DeployedFiles.text("compose.yaml")
        #expect(text.contains("\nx-logging: &logging\n  driver: local\n  options: { max-size: "))
        let program = try #require(text.range(of: "\nx-program: &program\n")).upperBound
        let services = try #require(text.range(of: "\nservices:\n")).lowerBound
        #expect(text[program..<services].contains("\n  logging: *logging\n"))
        for (name, lines) in try DeployedFiles.services() {
            #expect(lines.contains("    <<: *program") || lines.contains("    logging: *logging"), "\(name)")
        }
    }

    @Test func `the runbooks' commands are for services that Compose has`() throws {
        let command = /docker compose (?:exec|run|stop|logs)(?: -[A-Za-z-]+| CAPTURE_ACTOR="\$USER")* ([a-z]+)/
        let named = DeployedFiles.words(try DeployedFiles.text("RUNBOOKS.md"), command)
        let services = Set(try DeployedFiles.services().keys)
        #expect(services.count == 5 && named.subtracting(services) == [])
        #expect(named.isSuperset(of: ["gateway", "migrate", "postgres", "redis"]), "\(named)")
    }

    private static func hardening(_ unit: String) throws -> [String] {
        let text = try DeployedFiles.text(unit)
        let start = try #require(text.range(of: "# What a program of ours never needs")).lowerBound
        let lines = text[start...].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Array(lines.prefix { !$0.isEmpty })
    }
}
