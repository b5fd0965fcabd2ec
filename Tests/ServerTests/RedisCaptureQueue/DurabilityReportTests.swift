import CaptureModel
import CaptureQueue
import Foundation
import Logging
import NIOPosix
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What Redis's settings are held to, on real servers.
@Suite(.timeLimit(.minutes(2)))
struct DurabilityReportTests {
    private func problems(
        _ arguments: [String], _ demand: DurabilityDemand
    ) async throws -> [SettingProblem] {
        let server = try await PrivateRedis.start(arguments)
        var problems: [SettingProblem] = []
        try await QueueFixture.with(server) { fixture in
            problems = try await DurabilityReport.read(from: fixture.client, demand: demand).problems
        }
        try await server.stop()
        return problems
    }

    @Test(arguments: [DurabilityLevel.relaxed, .fsync, .ledger])
    func `a server that keeps what was accepted has no problems`(level: DurabilityLevel) async throws {
        #expect(try await problems([], DurabilityDemand(level: level)).isEmpty)
    }

    @Test(
        arguments: [
            ("appendonly", "no"), ("appendfsync", "everysec"), ("no-appendfsync-on-rewrite", "yes"),
            ("maxmemory-policy", "allkeys-lru"),
        ])
    func `each setting with which captures could be lost is named at every level`(
        setting: String, value: String
    ) async throws {
        try await QueueFixture.withOwnServer(["--\(setting)", value]) { fixture in
            for level in DurabilityLevel.allCases {
                let problems = try await DurabilityReport.read(
                    from: fixture.client, demand: DurabilityDemand(level: level)
                ).problems.filter { $0.gravity == .loss && !$0.setting.contains("buffer") }
                #expect(problems.map(\.setting) == ["Redis's \(setting)"] && problems.map(\.value) == [value])
                let refusal = DurabilityRefusal(problems, level: level)
                #expect((refusal == nil) == (level == .relaxed))
                for words in ["is \(level.rawValue)", setting, "is \(value)", "otherwise"] where refusal != nil {
                    #expect(refusal?.description.contains(words) == true)
                }
            }
        }
    }

    @Test func `with a ledger and the bytes elsewhere only eviction matters`() async throws {
        let demand = DurabilityDemand(level: .ledger, bundleStore: .filesystem)
        #expect(try await problems(["--appendonly", "no"], demand).isEmpty)
        let evicting = try await problems(["--appendonly", "no", "--maxmemory-policy", "allkeys-lru"], demand)
        #expect(evicting.map(\.setting) == ["Redis's maxmemory-policy"])
    }

    @Test func `with a ledger and the bytes in Redis the message says what is lost`() async throws {
        let problems = try await problems(["--appendfsync", "everysec"], DurabilityDemand(level: .ledger))
        #expect(problems.count == 1 && problems[0].consequence.contains("BUNDLE_MISSING"))
    }

    @Test func `a server that does not tell its settings is no proof of anything`() async throws {
        let problems = try await problems(["--rename-command", "CONFIG", ""], DurabilityDemand(level: .fsync))
        #expect(problems.count == 4 && problems.allSatisfy { $0.value == nil })
    }

    /// It can read the settings, and so become administrator.
    @Test func `a password of the administrator in the settings is told to the programs that have a user of their own`()
        async throws
    {
        let server = try await PrivateRedis.start(
            ["--requirepass", "S3cretPw", "--user", "capture", "on", ">own", "~*", "&*", "+@all"], tcp: true)
        for (login, count) in [("capture:own", 1), ("default:S3cretPw", 0), (":S3cretPw", 0)] {
            let url = server.url.replacing("redis://", with: "redis://\(login)@")
            try await RedisFixture.withClient(url) { redis in
                for level in [DurabilityLevel.relaxed, .ledger] {
                    let told = try await DurabilityReport.read(from: redis, demand: DurabilityDemand(level: level))
                        .problems.filter { $0.setting == "Redis's requirepass" }
                    #expect(told.count == count && told.allSatisfy { $0.gravity == .precaution }, "\(login)")
                    #expect(!"\(told)".contains("S3cretPw"))
                }
            }
        }
        try await server.stop()
    }

    @Test(arguments: [DurabilityLevel.fsync, .ledger])
    func `a server is asked for what the level rests on, and need not tell more`(level: DurabilityLevel) async throws {
        let demand = DurabilityDemand(level: level)
        #expect(try await problems(["--rename-command", "INFO", ""], demand).isEmpty)
    }

    @Test func `replicas that are not there are no reason not to start`() async throws {
        let demand = DurabilityDemand(level: .replicated, replicas: 2)
        let problems = try await problems(["--client-output-buffer-limit", "replica 0 0 0"], demand)
        #expect(problems.map(\.gravity) == [.passing])
        #expect(problems[0].description.contains("is 0 and should be 2 or more"))
        #expect(DurabilityRefusal(problems, level: .replicated) == nil)
    }

    @Test(
        arguments: [
            ("256mb 64mb 60", false), ("512mb 256mb 60", true), ("511mb 256mb 60", false), ("512mb 255mb 60", false),
            ("0 0 0", true), ("1gb 512mb 120", true),
        ])
    func `replicas are not cut off for large bundles`(limits: String, isGood: Bool) async throws {
        let arguments = ["--client-output-buffer-limit", "replica \(limits)"]
        for store in [BundleStoreName.redis, .filesystem] {
            let demand = DurabilityDemand(level: .replicated, bundleStore: store)
            let lasting = try await problems(arguments, demand).filter { $0.gravity == .loss }
            // Without bundles the replicas' stream is small.
            #expect(lasting.isEmpty == (isGood || store == .filesystem))
        }
    }

    @Test func `a Redis without a bound on its memory is told, and started with`() async throws {
        try await QueueFixture.withOwnServer(["--maxmemory", "0"]) { fixture in
            for level in DurabilityLevel.allCases {
                for store in [BundleStoreName.redis, .filesystem] {
                    let demand = DurabilityDemand(level: level, bundleStore: store)
                    let problems = try await DurabilityReport.read(from: fixture.client, demand: demand).problems
                    let told = problems.filter { $0.setting == "Redis's maxmemory" }
                    #expect(told.count == 1, "\(level), \(store)")
                    #expect(told.allSatisfy { $0.gravity == .precaution && $0.value == "0" })
                    #expect(DurabilityRefusal(told, level: level) == nil)
                }
            }
        }
    }

    /// 64 MiB of bundles and 32 MiB of assertions and metadata: these are in Redis wherever the bundles are.
    @Test(arguments: [
        (BundleStoreName.redis, 96, 100_663_296, false), (.redis, 97, 100_663_296, true),
        (.filesystem, 32, 33_554_432, false), (.filesystem, 33, 33_554_432, true),
    ])
    func `a Redis that is full before its queue is told, and started with`(
        store: BundleStoreName, mebibytes: Int, least: Int, isGood: Bool
    ) async throws {
        let demand = DurabilityDemand(
            level: .fsync, bundleStore: store, queueBytesMax: 64 << 20, queueFieldBytesMax: 32 << 20)
        let problems = try await problems(["--maxmemory", "\(mebibytes)mb"], demand)
        #expect(problems.isEmpty == isGood)
        #expect(problems.allSatisfy { $0.setting == "Redis's maxmemory" && $0.gravity == .precaution })
        #expect(problems.allSatisfy { $0.description.contains("more than \(least) (") })
        #expect(problems.allSatisfy { $0.description.contains("queue.bytesMax") == (store == .redis) })
    }

    /// Known bundles of a day, of which none waits.
    @Test func `what Redis remembers of settled captures has to have room beside a full queue`() async throws {
        let demand = DurabilityDemand(level: .fsync, bundleStore: .filesystem, queueFieldBytesMax: 32 << 20)
        try await QueueFixture.withOwnServer(["--maxmemory", "96mb"]) { fixture in
            #expect(try await DurabilityReport.read(from: fixture.client, demand: demand).problems.isEmpty)
            try await fixture.redis(
                "EVAL", "for n = 1, 300000 do redis.call('SET', 'known:' .. n, '', 'EX', 86400) end", "0")
            let told = try await DurabilityReport.read(from: fixture.client, demand: demand).problems
            #expect(told.map(\.setting) == ["Redis's maxmemory"] && told.map(\.gravity) == [.precaution])
            #expect(told.first?.description.contains("more than \(32 << 20 + 72_000_000) (") == true, "\(told)")
            #expect(told.first?.description.contains("and 72000000 that settled captures take now") == true)
        }
    }

    @Test func `a primary that would go on without its replicas is told, where there is a ledger`() async throws {
        let primary = try await PrivateRedis.start(tcp: true)
        let replica = try await primary.replica()
        try await QueueFixture.with(primary) { fixture in
            for level in DurabilityLevel.allCases {
                let told = try await fenceProblems(fixture, level)
                #expect(told.map(\.value) == (level == .ledger ? ["0 with 10"] : []))
                #expect(told.allSatisfy { $0.gravity == .precaution })
                #expect(DurabilityRefusal(told, level: level) == nil)
            }
            for (least, lag, isGood) in [(1, 10, true), (1, 3, true), (1, 11, false), (1, 0, false), (0, 3, false)] {
                try await fixture.redis(
                    "CONFIG", "SET", "min-replicas-to-write", .integer(least), "min-replicas-max-lag", .integer(lag))
                #expect(try await fenceProblems(fixture, .ledger).isEmpty == isGood)
            }
            // A primary without replicas cannot lose one.
            try await replica.stop()
            try await eventually { try await fenceProblems(fixture, .ledger).isEmpty }
        }
        try await primary.stop()
    }

    /// No promise rests on the replica: cut off by a burst of uploads, it is of no use when the primary is lost.
    @Test func `replicas that would be cut off are told where none is asked for, and started with`() async throws {
        let primary = try await PrivateRedis.start(
            ["--client-output-buffer-limit", "replica 256mb 64mb 60", "--maxmemory", "8gb"], tcp: true)
        let replica = try await primary.replica()
        try await QueueFixture.with(primary) { fixture in
            for level in DurabilityLevel.allCases where level != .replicated {
                for store in [BundleStoreName.redis, .filesystem] {
                    let demand = DurabilityDemand(level: level, bundleStore: store)
                    let told = try await DurabilityReport.read(from: fixture.client, demand: demand).problems
                        .filter { $0.setting.contains("client-output-buffer-limit") }
                    #expect(told.count == (store == .redis && level != .relaxed ? 1 : 0), "\(level), \(store)")
                    #expect(told.allSatisfy { $0.gravity == .precaution })
                }
            }
        }
        try await replica.stop()
        try await primary.stop()
    }

    private func fenceProblems(
        _ fixture: QueueFixture, _ level: DurabilityLevel
    ) async throws -> [SettingProblem] {
        let demand = DurabilityDemand(level: level, bundleStore: .filesystem)
        return try await DurabilityReport.read(from: fixture.client, demand: demand).problems
            .filter { $0.setting.contains("min-replicas") }
    }

    /// The file cannot know how much memory the machine has.
    @Test func `with the project's own redis.conf nothing can be lost at any level`() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Config/redis.conf").standardizedFileURL
        let directory = try TemporaryDirectory.make("conf")
        defer { try? FileManager.default.removeItem(at: directory) }
        let socket = directory.appending(path: "redis.sock").path
        let server = try LeashedProcess(
            "redis-server", [file.path, "--port", "0", "--unixsocket", socket, "--dir", directory.path])
        try await server.line(containing: "eady to accept connections")
        let client = RedisClient(
            configuration: try RedisConfiguration.patient("unix://\(socket)"),
            eventLoopGroup: .singletonMultiThreadedEventLoopGroup, logger: Logger(label: "tests"))
        let running = Task { try await client.run() }
        defer { running.cancel() }
        for level in DurabilityLevel.allCases {
            let problems = try await DurabilityReport.read(from: client, demand: DurabilityDemand(level: level))
                .problems
            #expect(problems.allSatisfy { $0.gravity != .loss })
            #expect(problems.filter { $0.gravity == .precaution }.map(\.setting) == ["Redis's maxmemory"])
        }
        running.cancel()
        try await running.value
        try await server.kill()
    }
}
