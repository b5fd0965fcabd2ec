import CaptureModel
import CaptureSettings
import Foundation
import TestSupport
import Testing

@Suite("Settings")
struct SettingsTests {
    @Test func `flags override the environment, which overrides the file`() async throws {
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try "queue:\n  lease: 9s\n  partitions: 4\nworker:\n".write(toFile: file, atomically: true, encoding: .utf8)
        var environment = Self.minimum
        #expect(try await Self.settings(["--config", file], environment)["queue.lease"] == "9s")
        environment["CAPTURE_QUEUE_LEASE"] = "10s"
        environment["CAPTURE_CONFIG"] = file
        #expect(try await Self.settings([], environment)["queue.lease"] == "10s")
        #expect(try await Self.settings(["--queue-lease", "11s"], environment)["queue.lease"] == "11s")
        #expect(try await Self.settings(["--queue-lease=12s"], environment)["queue.partitions"] == "4")
    }

    @Test(arguments: [
        (["--queue-leese", "8s"], "--queue-leese"), (["--queue-lease"], "a value is missing"),
        (["--queue-lease", "8"], "500ms to 10m"), (["--queue-lease", "11m"], "500ms to 10m"),
        (["--worker-concurrency", "0"], "1 to 256"), (["--queue-bytes-max", "10"], "1MiB to 16TiB"),
        (["--gateway-precheck", "some"], "none | structure | signature"),
        (["--queue-leese"], "--queue-leese: there is no such setting; capture-gateway --help lists them"),
        (["--queue-lease", "8s", "--queue-lease=9s"], "--queue-lease: is given more than once"),
        (["--config", "/nonexistent"], "/nonexistent: cannot be opened: No such file"),
        (["--config", "/"], "/: cannot be opened: Is a directory"),
        (["--config", ""], "--config: takes a file, and is empty"),
    ])
    func `what is wrong is named together with what it takes`(arguments: [String], words: String) async {
        #expect(await Self.refusal(arguments).contains(words))
    }

    @Test func `a worker's concurrency has a second name, which nobody else takes`() async throws {
        for name in ["--concurrency", "--worker-concurrency"] {
            let worker = try await Settings(
                arguments: [name, "7"], environment: Self.minimum, program: .worker)
            #expect(worker.table.contains { $0.key == "worker.concurrency" && $0.value == "7" })
        }
        #expect(await Self.refusal(["--concurrency", "7"]).hasPrefix("--concurrency: there is no such setting"))
        let twice = await #expect(throws: SettingsError.self) {
            _ = try await Settings(
                arguments: ["--concurrency", "7", "--worker-concurrency", "7"], environment: Self.minimum,
                program: .worker)
        }
        #expect(twice?.description == "--worker-concurrency: is given more than once")
        let help = Help.text(program: .worker, purpose: "works")
        #expect(help.contains("\n  --worker-concurrency, --concurrency\n"))
        #expect(!Help.text(program: .gateway, purpose: "waits").contains(", --concurrency"))
    }

    @Test func `the help has all that is to be said of a setting, in lines of eighty columns`() {
        let help = Help.text(program: .worker, purpose: String(repeating: "works ", count: 30))
        for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for setting in Setting.all {
            let standard = setting.standard.map { "default \($0)" } ?? "not set by default"
            let told = "\(setting.summary) \(setting.key), \(setting.environmentName): \(setting.range); \(standard)"
            #expect(words.contains(told), "\(told)")
        }
    }

    @Test(
        arguments: [
            (["--queue-leese", "8s"], [:], "--queue-leese"), ([], ["CAPTURE_QUEUE_LEESE": "8s"], "CAPTURE_QUEUE_LEESE"),
        ] as [([String], [String: String], String)])
    func `who is told of a name that is none is pointed to the program's own help`(
        arguments: [String], environment: [String: String], name: String
    ) async {
        let fault = await #expect(throws: SettingsError.self) {
            _ = try await Settings(arguments: arguments, environment: environment, program: .worker)
        }
        #expect(fault?.description == "\(name): there is no such setting; capture-worker --help lists them")
    }

    /// Its own help lists none.
    @Test func `who tells capturectl of a name that is none is pointed to the gateway's help`() async {
        let environment = ["CAPTURE_QUEUE_LEESE": "8s"]
        let fault = await #expect(throws: SettingsError.self) {
            _ = try await Settings(arguments: [], environment: environment, program: .capturectl)
        }
        #expect(fault?.description.hasSuffix("there is no such setting; capture-gateway --help lists them") == true)
    }

    @Test(arguments: [
        "CAPTURE_ROLLOUT_FILE", "CAPTURE_APPLE_KEY_FILE", "CAPTURE_ENROLMENT_KEY_FILE", "CAPTURE_REDIS_TLS_ROOTS",
        "CAPTURE_BUNDLES_DIRECTORY",
    ])
    func `a setting without a default that is left empty is not set`(name: String) async throws {
        let setting = try #require(Setting.all.first { $0.environmentName == name })
        #expect(try await Self.settings([], Self.minimum.merging([name: ""]) { $1 })[setting.key] == "(not set)")
        #expect(try await Self.settings(["\(setting.flagName)="])[setting.key] == "(not set)")
    }

    @Test func `a flag takes what its variable takes`() async throws {
        #expect(await Self.refusal(["--postgres-url", "postgresql://db1,db2/capture"]) == "accepted")
        let given = try await Self.settings(["--redis-tls-roots=/etc/a,b=c.pem", "--app-roots", "d.pem,e.pem"])
        #expect(given["redis.tlsRoots"] == "/etc/a,b=c.pem" && given["app.roots"] == "d.pem,e.pem")
        #expect(try await Self.settings(["--app-roots", "d.pem", "--app-roots=e.pem"])["app.roots"] == "d.pem,e.pem")
        #expect(try await Self.settings(["--redis-tls-roots=", "--queue-lease", "9s"])["queue.lease"] == "9s")
    }

    @Test func `secrets are never shown, but where the servers are`() async throws {
        let own = [
            "CAPTURE_POSTGRES_URL": "postgresql://u:hunter2@h:5433/d",
            "CAPTURE_REDIS_URL": "redis://u:hunter2@h:6380/2",
            "CAPTURE_GATEWAY_READ_TOKENS": String(repeating: "ab", count: 32),
        ]
        let shown = try await Self.settings([], Self.minimum.merging(own) { $1 })
        #expect(shown["postgres.url"] == "database d at h:5433 (the rest is secret)")
        #expect(shown["redis.url"] == "h:6380, database 2 (the rest is secret)")
        #expect(shown["gateway.readTokens"] == "(secret)")
        let socket = ["CAPTURE_REDIS_URL": "unix:///run/redis.sock?user=u&password=hunter2"]
        let local = try await Self.settings([], Self.minimum.merging(socket) { $1 })
        #expect(local["redis.url"] == "/run/redis.sock (the rest is secret)")
    }

    @Test func `every key has its own names`() {
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.environmentName)).count == Setting.all.count)
        #expect(Setting.all.allSatisfy { !$0.summary.isEmpty })
    }
}
