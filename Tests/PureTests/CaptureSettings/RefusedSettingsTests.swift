import Testing
import WorkerSettings

@testable import CaptureSettings

@Suite("Settings that do not go together, or are no good")
struct RefusedSettingsTests: SettingsRefusal {
    /// What `gateway.port` is in force, or why it is not.
    private func port(_ arguments: [String]) async -> String {
        do {
            let settings = try await Settings(arguments: arguments, environment: SettingsTests.minimum)
            return settings.table.first { $0.key == "gateway.port" }?.value ?? ""
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        (["--worker-memory-max", "287MiB"], "worker.memoryMax: less than twice the 144 MiB"),
        (["--worker-memory-max", "288MiB"], "accepted"),
        // A bundle that is larger than a batch is worked all the same, in each pipeline.
        (
            [
                "--worker-memory-max", "288MiB", "--capture-photo-bytes-max", "64MiB", "--bundles-store", "filesystem",
                "--bundles-directory", "/bundles",
            ],
            "worker.memoryMax: less than twice the 207 MiB"
        ),
    ])
    func `a worker has room for the largest bundle in each batch`(arguments: [String], words: String) async {
        let text = await refusal(arguments) { _ = try $0.watchdogLimits() }
        #expect(text.hasPrefix(words), "\(text)")
    }

    @Test(arguments: [
        (["--bundles-orphan-age", "75s"], "accepted"),
        // Bytes in files: only the queue is asked of Redis.
        (
            ["--bundles-store", "filesystem", "--bundles-directory", "/bundles", "--bundles-timeout", "100s"],
            "209s: twice bundles.timeout, intake.wait, intake.restoreWait and gateway.serverTimeout"
        ),
        (
            [
                "--bundles-store", "filesystem", "--bundles-directory", "/bundles", "--bundles-timeout", "100s",
                "--queue-durability", "fsync",
            ],
            "202s: twice bundles.timeout and gateway.serverTimeout"
        ),
        (["--bundles-timeout", "100s"], "accepted"),
        // Bytes in Redis: twice the time of a question for them, and once for the queue.
        (
            ["--gateway-server-timeout", "60s", "--intake-wait", "16s", "--intake-restore-wait", "4s"],
            "200s: intake.wait, intake.restoreWait and three times gateway.serverTimeout"
        ),
        (["--gateway-server-timeout", "60s", "--queue-durability", "fsync"], "accepted"),
        (
            ["--gateway-server-timeout", "60s", "--queue-durability", "replicated", "--queue-replica-wait", "14s"],
            "201s: three times gateway.serverTimeout and one and a half times queue.replicaWait"
        ),
        (
            ["--gateway-server-timeout", "60s", "--queue-durability", "fsync", "--queue-replica-wait", "60s"],
            "accepted"
        ),
        // A gateway that stands still may hold up the others.
        (
            ["--intake-grace", "84s", "--intake-wait", "9s"],
            "200s: nine quarters of intake.grace, intake.wait and twice intake.interval"
        ),
        (["--intake-grace", "84s", "--intake-wait", "8s"], "accepted"),
        (["--intake-grace", "1h", "--queue-durability", "fsync"], "accepted"),
    ])
    func `bytes lie for longer than an upload or a reconciler takes to name their capture`(
        arguments: [String], words: String
    ) async {
        let age = arguments.contains("--bundles-orphan-age") ? [] : ["--bundles-orphan-age", "200s"]
        let text = await refusal(arguments + age)
        #expect(text == (words == "accepted" ? words : "bundles.orphanAge: takes more than \(words)"))
    }

    @Test(arguments: [
        (["--bundles-store", "filesystem"], "bundles.directory: not set; bundles.store filesystem needs it"),
        (["--bundles-directory", "bundles"], "bundles.directory: takes an absolute path (from --bundles-directory)"),
        (["--bundles-directory", "/bundles"], "accepted"),
        (["--bundles-store", "filesystem", "--bundles-directory", "/bundles"], "accepted"),
    ])
    func `a directory of bundles is there where files are to go, and is found from anywhere`(
        arguments: [String], words: String
    ) async {
        #expect(await refusal(arguments) == words)
    }

    @Test(arguments: [
        (["--worker-retry-base", "2s", "--worker-retry-cap", "1s"], "worker.retryBase: takes at most 1s, which"),
        (["--worker-retry-base", "1s", "--worker-retry-cap", "1s"], "accepted"),
        (["--worker-retry-cap", "100ms"], "worker.retryBase: takes at most 100ms, which is worker.retryCap"),
        (["--receipts-retry-cap", "30s"], "receipts.retryBase: takes at most 30s, which is receipts.retryCap"),
        (["--receipts-retry-cap", "1m"], "accepted"),
    ])
    func `a first retry that comes later than any may keeps every program from starting`(
        arguments: [String], words: String
    ) async {
        let text = await refusal(arguments)
        #expect(text.hasPrefix(words), "\(text)")
    }

    @Test(arguments: [
        "https://user:hunter2@apple.example", "user:hunter2@apple.example", "https://hunter2@apple.example/v1",
    ])
    func `what lets somebody in at an address of Apple's is never shown`(address: String) async throws {
        let environment = ["CAPTURE_APPLE_RECEIPTS_URL": address]
        let text = await refusal([], environment) { _ = try $0.receiptHosts() }
        #expect(text.hasPrefix("apple.receiptsURL: is no https address"), "\(text)")
        let settings = try await Settings(arguments: [], environment: SettingsTests.minimum.merging(environment) { $1 })
        let shown = settings.table.first { $0.key == "apple.receiptsURL" }?.value ?? ""
        for words in [text, shown] { #expect(!words.contains("hunter2"), "\(words)") }
        #expect(shown.hasSuffix(address.drop { $0 != "@" }))
    }

    /// In YAML 1.1 0100 is 64, and 1:30 is 90.
    @Test(
        arguments: [
            ("0100", "100"), ("\"0100\"", "100"), ("\"500\"", "500"), ("+5", "5"), ("0x10", nil), ("0b11", nil),
            ("0o17", nil), ("1_000", nil), ("1:30", nil), ("1e3", nil), ("5.0", nil), ("\"\"", nil), ("-1", nil),
        ] as [(String, String?)])
    func `a whole number is the same in the file and in the environment`(text: String, number: String?) async throws {
        let value = text.replacing("\"", with: "")
        let variable = await port(["--gateway-port", value])
        let file = try await withFile("gateway:\n  port: \(text)\n") { await port(["--config", $0]) }
        let words = file.prefix { $0 != "(" }
        #expect(words == variable.prefix { $0 != "(" })
        #expect(number.map { file == $0 } ?? words.hasPrefix("gateway.port: "), "\(file)")
    }

    @Test func `a list that is none in the file, and one where there is to be none, are told what they have to be`()
        async throws
    {
        let list = try await refusal(ofFile: "app:\n  environments: production,development\n")
        #expect(list.hasPrefix("app.environments: takes a list, in the file as [a, b] (from /"), "\(list)")
        let one = try await refusal(ofFile: "queue:\n  partitions: [1]\n")
        #expect(one.hasPrefix("queue.partitions: takes one value and no list: 1 to 1024 (from /"), "\(one)")
        let none = try await refusal(ofFile: "queue:\n  partitions: one\n")
        let words = "queue.partitions: 'one' is not what it takes; it takes a whole number, 1 to 1024 (from /"
        #expect(none.hasPrefix(words), "\(none)")
    }

    @Test func `a key is given once, however it is written`() async throws {
        let text = try await refusal(ofFile: "queue: {lease: 7s}\nqueue.lease: 9s\n")
        #expect(text.hasSuffix("c.yaml: queue.lease: is given more than once"), "\(text)")
    }

    /// A merge key's settings would not be read.
    @Test(arguments: [
        ("queue:\n  <<: {lease: 7s}\n", "queue.<<"),
        ("queue: &queue\n  lease: 7s\nworker:\n  <<: *queue\n", "worker.<<"), ("<<: {queue: {lease: 7s}}\n", "<<"),
    ])
    func `a merge key is refused, as what it stands for would be left out`(text: String, key: String) async throws {
        let words = try await refusal(ofFile: text)
        #expect(words.hasSuffix("c.yaml: \(key): merge keys are not taken; write out what they stand for"), "\(words)")
    }

    @Test(arguments: ["", "# queue:\n#   lease: 9s\n", "---\n", "null\n"])
    func `a file in which everything is commented out leaves the defaults`(text: String) async throws {
        #expect(try await refusal(ofFile: text) == "accepted")
    }

    @Test(arguments: ["7", "- queue", "text"])
    func `a file that is no mapping is none of settings`(text: String) async throws {
        let words = try await refusal(ofFile: text)
        #expect(words.hasSuffix("c.yaml: cannot be read as YAML: Top level YAML value is not a mapping."), "\(words)")
    }

    @Test func `a file without an end is not read to it, nor one that is larger than any`() async throws {
        #expect(await refusal(["--config", "/dev/zero"]) == "/dev/zero: has more than 1048576 bytes")
        let text = try await refusal(ofFile: String(repeating: "# a comment\n", count: 100_000))
        #expect(text.hasSuffix("c.yaml: has more than 1048576 bytes"), "\(text)")
        let roots = await refusal([], ["CAPTURE_APP_ROOTS": "/dev/zero"]) { _ = try $0.trustRoots() }
        #expect(roots.hasSuffix("/dev/zero: has more than 1048576 bytes"), "\(roots)")
    }

    @Test func `a list that is too long is told how long it may be, and not in full`() async {
        let tokens = Array(repeating: String(repeating: "0", count: 64), count: 64).joined(separator: ",")
        let proxies = Array(repeating: "10.0.0.0/8", count: 400).joined(separator: ",")
        let lists = [
            (Setting.readTokens, tokens), (Setting.evidenceTokens, tokens), (Setting.gatewayTrustedProxies, proxies),
        ]
        for (setting, list) in lists {
            let text = await refusal([], [setting.environmentName: list])
            let words = "takes at most 4096 bytes, with the commas between, and has \(list.utf8.count)"
            #expect(text == "\(setting.key): \(words) (from \(setting.environmentName))")
        }
    }
}
