import CaptureModel
import CaptureSettings
import Foundation
import PostgresClient
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Settings")
struct SettingsTests {
    private static let minimum = ["CAPTURE_APP_IDS": "TEAM123456.com.example.capture"]

    private func settings(
        _ arguments: [String] = [], _ environment: [String: String] = minimum
    ) async throws -> [String: String] {
        let table = try await Settings(arguments: arguments, environment: environment).table
        return Dictionary(table.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private func refusal(_ arguments: [String] = [], _ environment: [String: String] = minimum) async -> String {
        do {
            _ = try await Settings(arguments: arguments, environment: environment)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Config/capture-processor.yaml").path

    @Test func `the file in the repository says nothing but the defaults, and lists every key`() async throws {
        let defaults = try await settings()
        #expect(try await settings(["--config", Self.file]) == defaults)
        let text = try String(contentsOfFile: Self.file, encoding: .utf8)
        for setting in Setting.all {
            let name = setting.key.split(separator: ".").last.map(String.init) ?? ""
            #expect(text.contains("  \(name): ") || text.contains("  # \(name):"), "\(setting.key) is not in the file")
        }
    }

    /// The file names the words of a choice and of a form as well; `--help` has them beside the summary.
    @Test func `the file in the repository says of each key what the help says of it`() throws {
        let lines = try String(contentsOfFile: Self.file, encoding: .utf8).components(separatedBy: "\n")
        var heading = ""
        var comment: [String] = []
        var comments: [String: String] = [:]
        for line in lines {
            if let match = line.wholeMatch(of: /([a-z]+):/) {
                (heading, comment) = (String(match.output.1), [])
            } else if let match = line.wholeMatch(of: /[ ]{2}(?:# )?([A-Za-z]+):(?: .*)?/) {
                comments["\(heading).\(match.output.1)"] = comment.joined(separator: " ")
                comment = []
            } else if line.hasPrefix("  # ") {
                comment.append(String(line.dropFirst(4)))
            }
        }
        for setting in Setting.all where setting.key != "rollout.file" {
            switch setting.kind {
            case .choice, .form: #expect(comments[setting.key]?.isEmpty == false, "\(setting.key)")
            default: #expect(comments[setting.key] == setting.summary)
            }
        }
    }

    @Test func `the queue's defaults are those of the settings`() async throws {
        var defaults = RedisQueueConfiguration()
        defaults.hasLedger = true
        #expect(try await Settings(arguments: [], environment: Self.minimum).queueConfiguration == defaults)
    }

    @Test(arguments: [("600s", 2_400), ("226s", 904), ("225s", 900), ("100ms", 900)])
    func `a lease is renewed for several times as long as a batch may be held`(
        hold: String, seconds: Int
    ) async throws {
        let settings = try await Settings(arguments: ["--worker-outage-hold", hold], environment: Self.minimum)
        #expect(settings.queueConfiguration.leaseAgeMax == .seconds(seconds))
    }

    @Test(arguments: [("600s", 5_000, 10_000), ("20s", 5_000, 10_000), ("5s", 1_250, 2_500), ("100ms", 100, 1_000)])
    func `a worker waits for a lock, and for a statement, for less than a batch may be held`(
        hold: String, lock: Int, statement: Int
    ) async throws {
        let settings = try await Settings(arguments: ["--worker-outage-hold", hold], environment: Self.minimum)
        let postgres = settings.postgresWorkerConfiguration(name: "test")
        #expect(postgres.lockTimeout == .milliseconds(lock) && postgres.statementTimeout == .milliseconds(statement))
    }

    @Test(arguments: [
        (["--queue-bytes-max", "64MiB"], (64 << 20) / 10),
        (["--queue-bytes-max", "64MiB", "--queue-bytes-per-device-max", "16MiB"], 16 << 20),
    ])
    func `one device has a tenth of the queue's bytes unless it is set`(arguments: [String], bytes: Int) async throws {
        let settings = try await Settings(arguments: arguments, environment: Self.minimum)
        #expect(settings.queueConfiguration.bytesPerDeviceMax == bytes)
    }

    @Test(arguments: [(1, 20_000, (4 << 30) / 10), (2, 20_000, (4 << 30) / 10), (16, 3125, (4 << 30) / 32)])
    func `one device has at most half of what its partition has`(
        partitions: Int, captures: Int, bytes: Int
    ) async throws {
        let settings = try await Settings(
            arguments: ["--queue-partitions", "\(partitions)"], environment: Self.minimum)
        #expect(settings.queueConfiguration.capturesPerDeviceMax == captures)
        #expect(settings.queueConfiguration.bytesPerDeviceMax == bytes)
        let set = try await Settings(
            arguments: ["--queue-partitions", "16", "--queue-captures-per-device-max", "99999"],
            environment: Self.minimum)
        #expect(set.queueConfiguration.capturesPerDeviceMax == 99_999)
    }

    @Test func `flags override the environment, which overrides the file`() async throws {
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try "queue:\n  lease: 9s\n  partitions: 4\nworker:\n".write(toFile: file, atomically: true, encoding: .utf8)
        var environment = Self.minimum
        #expect(try await settings(["--config", file], environment)["queue.lease"] == "9s")
        environment["CAPTURE_QUEUE_LEASE"] = "10s"
        environment["CAPTURE_CONFIG"] = file
        #expect(try await settings([], environment)["queue.lease"] == "10s")
        #expect(try await settings(["--queue-lease", "11s"], environment)["queue.lease"] == "11s")
        #expect(try await settings(["--queue-lease=12s"], environment)["queue.partitions"] == "4")
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
    ])
    func `what is wrong is named together with what it takes`(arguments: [String], words: String) async {
        #expect(await refusal(arguments).contains(words))
    }

    @Test func `a worker's concurrency has a second name, which nobody else takes`() async throws {
        for name in ["--concurrency", "--worker-concurrency"] {
            let worker = try await Settings(
                arguments: [name, "7"], environment: Self.minimum, program: .worker)
            #expect(worker.table.contains { $0.key == "worker.concurrency" && $0.value == "7" })
        }
        #expect(await refusal(["--concurrency", "7"]).hasPrefix("--concurrency: there is no such setting"))
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

    @Test func `which file was read is known, and that none was`() async throws {
        var environment = Self.minimum
        #expect(try await Settings(arguments: [], environment: environment).file == nil)
        environment["CAPTURE_CONFIG"] = Self.file
        #expect(try await Settings(arguments: [], environment: environment).file == Self.file)
        environment["CAPTURE_CONFIG"] = "/nonexistent"
        #expect(try await Settings(arguments: ["--config", Self.file], environment: environment).file == Self.file)
    }

    @Test(arguments: [
        "CAPTURE_ROLLOUT_FILE", "CAPTURE_APPLE_KEY_FILE", "CAPTURE_ENROLMENT_KEY_FILE", "CAPTURE_REDIS_TLS_ROOTS",
        "CAPTURE_BUNDLES_DIRECTORY",
    ])
    func `a setting without a default that is left empty is not set`(name: String) async throws {
        let setting = try #require(Setting.all.first { $0.environmentName == name })
        #expect(try await settings([], Self.minimum.merging([name: ""]) { $1 })[setting.key] == "(not set)")
        #expect(try await settings(["\(setting.flagName)="])[setting.key] == "(not set)")
    }

    @Test func `a file that is left empty is none, and a flag without a name is refused`() async throws {
        let environment = Self.minimum.merging(["CAPTURE_CONFIG": ""]) { $1 }
        #expect(try await Settings(arguments: [], environment: environment).file == nil)
        #expect(await refusal(["--config="]).hasPrefix(": cannot be opened"))
    }

    @Test func `a key that does not exist is refused wherever it stands`() async throws {
        #expect(
            await refusal([], Self.minimum.merging(["CAPTURE_QUEUE_LEESE": "8s"]) { $1 })
                == "CAPTURE_QUEUE_LEESE: there is no such setting; capture-gateway --help lists them")
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try "queue:\n  leese: 9s\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(await refusal(["--config", file]).contains("queue.leese"))
    }

    @Test func `a file that is no YAML is told by the line, without what stands in it`() async throws {
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try "postgres:\n\turl: postgresql://u:hunter2@h/d\n".write(toFile: file, atomically: true, encoding: .utf8)
        let words = await refusal(["--config", file])
        #expect(words.hasPrefix("\(file): cannot be read as YAML: line 2, "), "\(words)")
        #expect(!words.contains("hunter2"))
        // Yams's own words for this one quote the whole text.
        try "postgres:\n  url: postgresql://u:hunter2@h/d\n  url: b\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let twice = await refusal(["--config", file])
        #expect(twice.contains("given more than once: url") && !twice.contains("hunter2"), "\(twice)")
    }

    @Test func `a flag takes what its variable takes`() async throws {
        #expect(await refusal(["--postgres-url", "postgresql://db1,db2/capture"]) == "accepted")
        let given = try await settings(["--redis-tls-roots=/etc/a,b=c.pem", "--app-roots", "d.pem,e.pem"])
        #expect(given["redis.tlsRoots"] == "/etc/a,b=c.pem" && given["app.roots"] == "d.pem,e.pem")
        #expect(try await settings(["--app-roots", "d.pem", "--app-roots=e.pem"])["app.roots"] == "d.pem,e.pem")
        #expect(try await settings(["--redis-tls-roots=", "--queue-lease", "9s"])["queue.lease"] == "9s")
    }

    @Test func `secrets are never shown, but where the servers are`() async throws {
        let own = [
            "CAPTURE_POSTGRES_URL": "postgresql://u:hunter2@h:5433/d",
            "CAPTURE_REDIS_URL": "redis://u:hunter2@h:6380/2",
            "CAPTURE_GATEWAY_READ_TOKENS": String(repeating: "ab", count: 32),
        ]
        let shown = try await settings([], Self.minimum.merging(own) { $1 })
        #expect(shown["postgres.url"] == "database d at h:5433 (the rest is secret)")
        #expect(shown["redis.url"] == "h:6380, database 2 (the rest is secret)")
        #expect(shown["gateway.readTokens"] == "(secret)")
        let socket = ["CAPTURE_REDIS_URL": "unix:///run/redis.sock?user=u&password=hunter2"]
        let local = try await settings([], Self.minimum.merging(socket) { $1 })
        #expect(local["redis.url"] == "/run/redis.sock (the rest is secret)")
    }

    @Test(arguments: [("ledger", 900), ("fsync", 7 * 86_400), ("replicated", 7 * 86_400)])
    func `bytes that nobody knows go early only where a ledger would know them`(
        durability: String, seconds: Int
    ) async throws {
        let settings = try await Settings(
            arguments: ["--queue-durability", durability], environment: Self.minimum)
        #expect(settings.orphanAge == .seconds(900))
        #expect(settings.unknownAge == .seconds(seconds))
    }

    @Test func `every key has its own names`() {
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.environmentName)).count == Setting.all.count)
        #expect(Setting.all.allSatisfy { !$0.summary.isEmpty })
    }
}
