import Crypto
import Foundation
import TestSupport
import Testing

@Suite("Settings that a program refuses", .timeLimit(.minutes(1)))
struct BadSettingsTests {
    @Test(arguments: [
        (["--gateway-trusted-proxies", "10.0.0.0/99"], "gateway.trustedProxies"),
        (
            ["--gateway-upload-bytes-in-flight-max", "16MiB", "--capture-photo-bytes-max", "12MiB"],
            "gateway.uploadBytesInFlightMax"
        ),
        (["--queue-leese", "8s"], "--queue-leese"),
    ])
    func `refused settings are named, and the exit is 64`(arguments: [String], name: String) async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capture-gateway"), arguments, environment: ["CAPTURE_APP_IDS": Stack.appID])
        #expect(run.exitCode == 64)
        #expect(run.output.contains("capture-gateway: \(name): "))
    }

    /// What does not fit together, a file that cannot be had, a key that only these two need.
    @Test(arguments: [
        ("capture-worker", ["--worker-memory-max", "64MiB"], "worker.memoryMax: less than twice the 144 MiB"),
        ("capture-worker", ["--queue-partitions", "3"], "queue.partitions: takes a power of two, 1 to 1024"),
        ("capture-gateway", ["--queue-partitions", "3"], "queue.partitions: takes a power of two, 1 to 1024"),
        ("capture-gateway", ["--intake-grace", "1h"], "bundles.orphanAge: takes more than "),
        ("capture-worker", ["--receipts-risk-warning", "10"], "receipts.riskWarning: takes apple.keyFile as well"),
        ("capture-gateway", ["--receipts-risk-warning", "10"], "receipts.riskWarning: takes apple.keyFile as well"),
        ("capture-gateway", ["--enrolment-key-file", "/none"], "enrolment.keyFile: /none: cannot be opened"),
    ])
    func `refused settings are found by the dry run, in the words of a start`(
        program: String, arguments: [String], words: String
    ) async throws {
        for flags in [arguments, arguments + ["--print-settings"]] {
            let run = try await LeashedProcess.run(
                Programs.path(program), flags, environment: ["CAPTURE_APP_IDS": Stack.appID])
            #expect(run.exitCode == 64, "\(run.output)")
            #expect(run.output.contains("\(program): \(words)"), "\(run.output)")
            #expect(!run.output.contains("redis.commandTimeout"), "\(run.output)")
        }
    }

    /// A process that has none left would be ended later on, without a word.
    @Test(arguments: ["capture-gateway", "capture-worker"])
    func `too few file descriptors are refused like settings`(program: String) async throws {
        for flags in [[], ["--print-settings"]] {
            let run = try await LeashedProcess.run(
                "sh", ["-c", #"ulimit -n 40; exec "$0" "$@""#, Programs.path(program)] + flags,
                environment: ["CAPTURE_APP_IDS": Stack.appID])
            #expect(run.exitCode == 64, "\(run.output)")
            #expect(run.output.contains("\(program): the system allows 40 file descriptors"), "\(run.output)")
        }
    }

    /// It has what a start has made, connections to Apple among it, and runs none of that.
    @Test(arguments: ["capture-gateway", "capture-worker"])
    func `refused settings are none where the dry run shows them, with Apple's key as well`(program: String)
        async throws
    {
        let folder = try TemporaryDirectory.make("dry")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keyFile = folder.appendingPathComponent("AuthKey.p8")
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: keyFile)
        let run = try await LeashedProcess.run(
            Programs.path(program), ["--print-settings"],
            environment: [
                "CAPTURE_APP_IDS": Stack.appID, "CAPTURE_APPLE_KEY_FILE": keyFile.path,
                "CAPTURE_APPLE_KEY_ID": "ABC123DEFG", "CAPTURE_APPLE_TEAM_ID": "TEAM123456",
            ])
        #expect(run.exitCode == 0 && run.output.contains("\nredis.commandTimeout "), "\(run.output)")
    }

    @Test func `settings with a key that every user can read are shown with a warning`() async throws {
        let folder = try TemporaryDirectory.make("key")
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appendingPathComponent("enrolment.key")
        try Data(Data(repeating: 7, count: 32).base64EncodedString().utf8).write(to: key)
        for (mode, isTold) in [(0o644, true), (0o600, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key.path)
            let run = try await LeashedProcess.run(
                Programs.path("capture-gateway"), ["--print-settings", "--enrolment-key-file", key.path],
                environment: ["CAPTURE_APP_IDS": Stack.appID])
            let words = "capture-gateway: enrolment.keyFile: \(key.path) has the mode 0644, open to every user"
            #expect(run.exitCode == 0 && run.output.contains(words) == isTold, "\(run.output)")
        }
    }

    @Test(arguments: ["capture-gateway", "capture-worker", "capturectl"])
    func `a refusal names an address of PostgreSQL that is none, and does not tell it`(program: String) async throws {
        for url in ["postgresql://app:hunter2@[::1/capture", "postgresql://app:hunter2@3@db/capture"] {
            let run = try await LeashedProcess.run(
                Programs.path(program), program == "capturectl" ? ["stats"] : [],
                environment: ["CAPTURE_APP_IDS": Stack.appID, "CAPTURE_POSTGRES_URL": url])
            #expect(run.exitCode == 64 && run.output.contains("postgres.url: "), "\(run.output)")
            #expect(!run.output.contains("hunter2"), "\(run.output)")
        }
    }

    @Test(arguments: ["capture-gateway", "capture-worker", "capturectl"])
    func `a refusal names a file for Redis's TLS that cannot be read`(program: String) async throws {
        let run = try await LeashedProcess.run(
            Programs.path(program), program == "capturectl" ? ["stats"] : [],
            environment: [
                "CAPTURE_APP_IDS": Stack.appID, "CAPTURE_REDIS_URL": "rediss://127.0.0.1:1",
                "CAPTURE_REDIS_TLS_ROOTS": "/none/roots.pem",
            ])
        #expect(run.exitCode == 64 && run.output.contains("redis.tlsRoots: /none/roots.pem"), "\(run.output)")
    }

    @Test func `refused settings that are read from a file name it beside what they are, which others may read`()
        async throws
    {
        let file = Repository.directory.appendingPathComponent("Config/capture-processor.yaml").path
        let program = Programs.path("capture-worker")
        let environment = ["CAPTURE_APP_IDS": Stack.appID]
        let none = try await LeashedProcess.run(program, ["--print-settings"], environment: environment)
        #expect(none.exitCode == 0)
        #expect(none.output.contains("capture-worker: read no settings' file: neither --config nor CAPTURE_CONFIG"))
        let silenced = ["-c", "exec \"$0\" --print-settings --config \"$1\" 2>/dev/null", program, file]
        let settings = try await LeashedProcess.run("sh", silenced, environment: environment)
        #expect(settings.exitCode == 0 && settings.output.hasPrefix("redis.url "), "\(settings.output)")
        let named = try await LeashedProcess.run(
            program, ["--print-settings", "--config", file], environment: environment)
        #expect(named.output.contains("capture-worker: read the settings' file \(file)\n"))
    }

    @Test(arguments: ["-h", "--help"])
    func `refused settings are listed by the help`(flag: String) async throws {
        let run = try await LeashedProcess.run(Programs.path("capture-gateway"), [flag])
        #expect(run.exitCode == 0 && run.output.contains("--queue-lease\n"), "\(run.output)")
    }

    @Test(arguments: [
        ("capture-worker", "CAPTURE_APPLE_RECEIPTS_URL", "http://example", "apple.receiptsURL"),
        ("capture-worker", "CAPTURE_APPLE_RECEIPTS_DEVELOPMENT_URL", "http://example", "apple.receiptsDevelopmentURL"),
        ("capture-gateway", "CAPTURE_APPLE_DEVICE_CHECK_URL", "http://example", "apple.deviceCheckURL"),
        (
            "capture-gateway", "CAPTURE_APPLE_DEVICE_CHECK_DEVELOPMENT_URL", "http://example",
            "apple.deviceCheckDevelopmentURL"
        ),
        ("capture-gateway", "CAPTURE_GATEWAY_TRUSTED_PROXIES", "10.0.0.0/99", "gateway.trustedProxies"),
    ])
    func `refused settings are named where Apple would be asked, too`(
        program: String, variable: String, value: String, name: String
    ) async throws {
        let folder = try TemporaryDirectory.make("apple")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keyFile = folder.appendingPathComponent("AuthKey.p8")
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: keyFile)
        let run = try await LeashedProcess.run(
            Programs.path(program),
            environment: [
                "CAPTURE_APP_IDS": Stack.appID, "CAPTURE_APPLE_KEY_FILE": keyFile.path,
                "CAPTURE_APPLE_KEY_ID": "ABC123DEFG", "CAPTURE_APPLE_TEAM_ID": "TEAM123456", variable: value,
            ])
        #expect(run.exitCode == 64, "\(run.output)")
        #expect(run.output.contains("\(program): \(name): "))
    }

    @Test(arguments: ["stats", "migrate"])
    func `settings that make no sense are bad usage`(command: String) async throws {
        let cases = [
            (["CAPTURE_REDIS_URL": "foo://h"], "redis.url"),
            (["CAPTURE_BUNDLES_STORE": "filesystem"], "bundles.directory"),
            (["CAPTURE_QUEUE_LEASE": "8"], "queue.lease"),
        ]
        for (environment, words) in cases {
            let run = try await LeashedProcess.run(
                Programs.path("capturectl"), [command], environment: environment)
            #expect(run.exitCode == 64 && run.output.contains(words), "\(run.output)")
        }
    }

    @Test func `the number of partitions is a power of two, and says so`() async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), ["stats"], environment: ["CAPTURE_QUEUE_PARTITIONS": "3"])
        #expect(run.exitCode == 64 && run.output.contains("a power of two"), "\(run.output)")
    }
}
