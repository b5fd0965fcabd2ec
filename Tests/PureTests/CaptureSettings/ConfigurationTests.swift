import AppAttest
import CaptureGateway
import CaptureInspection
import CaptureModel
import CaptureProcessing
import RedisCaptureQueue
import RedisClient
import Testing
import WorkerSettings

@testable import CaptureSettings
@testable import GatewaySettings

@Suite("What the settings configure")
struct ConfigurationTests {
    private static let app = "TEAM123456.com.example.capture"

    private func made(_ arguments: [String] = []) async throws -> Settings {
        try await Settings(arguments: arguments, environment: ["CAPTURE_APP_IDS": Self.app])
    }

    /// What a configuration is refused with.
    private func refusal(_ configure: () async throws -> Void) async -> String {
        do {
            try await configure()
            return "accepted"
        } catch {
            return error is SettingsError ? "\(error)" : "not of a setting: \(error)"
        }
    }

    @Test func `where nothing is set the defaults are configured`() async throws {
        let settings = try await made()
        let app = try #require(AppID(Self.app))
        #expect(try settings.gatewayConfiguration() == GatewayConfiguration(appIDs: [app]))
        #expect(try settings.workerConfiguration() == WorkerConfiguration(appIDs: [app]))
        #expect(settings.inspectionLimits == InspectionLimits())
        // A queue by itself has no ledger, and the programs have one unless it is set otherwise.
        var queue = RedisQueueConfiguration()
        queue.hasLedger = true
        #expect(settings.queueConfiguration == queue)
        let redis = try settings.redisConfiguration(name: "test")
        let standard = RedisConfiguration(address: redis.address)
        #expect(redis.connectTimeout == standard.connectTimeout && redis.commandTimeout == standard.commandTimeout)
        #expect(redis.sendTimeout == standard.sendTimeout && redis.pipelineDepthMax == standard.pipelineDepthMax)
        #expect(redis.backlogMax == standard.backlogMax && redis.backlogBytesMax == standard.backlogBytesMax)
        #expect(redis.replyBytesMax == standard.replyBytesMax)
    }

    @Test(arguments: [
        (["--gateway-trusted-proxies", "10.0.0.0/99"], "gateway.trustedProxies: takes networks such as"),
        (
            ["--gateway-upload-bytes-in-flight-max", "16MiB", "--capture-photo-bytes-max", "12MiB"],
            "gateway.uploadBytesInFlightMax: takes at least one upload"
        ),
        (
            ["--gateway-json-bytes-in-flight-max", "1MiB", "--gateway-json-bytes-max", "1MiB"],
            "gateway.jsonBytesInFlightMax: takes at least one request: 1081344"
        ),
        (["--gateway-status-ids-max", "10000"], "gateway.statusIDsMax: takes at most 1679"),
        (
            ["--gateway-status-ids-max", "10000", "--gateway-json-bytes-max", "390031"],
            "gateway.statusIDsMax: takes at most 9999"
        ),
        (["--gateway-status-ids-max", "10000", "--gateway-json-bytes-max", "390032"], "accepted"),
    ])
    func `what the gateway refuses is refused by the setting's name`(arguments: [String], words: String) async throws {
        let settings = try await made(arguments)
        let text = await refusal { _ = try settings.gatewayConfiguration() }
        #expect(text.hasPrefix(words))
    }

    @Test func `each value that the gateway may refuse has a setting of its own`() {
        let keys = Set(GatewayConfiguration.Field.allCases.map { Setting.of($0).key })
        #expect(keys.count == GatewayConfiguration.Field.allCases.count)
        #expect(keys.isSubset(of: Setting.all.map(\.key)))
    }

    @Test func `the gateway and the worker hold a capture to the same limits`() async throws {
        let settings = try await made([
            "--capture-photo-bytes-max", "2MiB", "--capture-metadata-bytes-max", "4KiB", "--capture-age-max", "7d",
            "--capture-photo-pixels-max", "100000000", "--capture-measured-percent-min", "30",
        ])
        let gateway = try settings.gatewayConfiguration()
        let worker = try settings.workerConfiguration().inspection
        #expect(gateway.uploads.inspection == worker)
        #expect(gateway.uploads.photoBytesMax == 2 << 20 && worker.photoBytesMax == 2 << 20)
        #expect(gateway.uploads.metadataBytesMax == 4096 && worker.metadata.bytesMax == 4096)
        #expect(worker.ageMax == .seconds(7 * 86_400) && worker.measuredShareMin == 0.3)
        #expect(worker.photo.pixelsMax == 100_000_000)
    }

    @Test(arguments: [("128KiB", 1_310_720), ("5MiB", 1_310_720), ("20MiB", 5_242_880)])
    func `a depth map of more bytes may have more values, and one of fewer no fewer`(
        bytes: String, values: Int
    ) async throws {
        let settings = try await made(["--capture-depth-bytes-max", bytes])
        #expect(try settings.gatewayConfiguration().uploads.inspection.metadata.depthValuesMax == values)
        #expect(try settings.workerConfiguration().inspection.metadata.depthValuesMax == values)
    }

    @Test(arguments: [("redis", "redis.replyBytesMax: takes at least"), ("filesystem", "accepted")])
    func `a bundle that Redis could not give back is refused, where Redis has the bytes`(
        store: String, words: String
    ) async {
        let arguments = ["--bundles-store", store, "--bundles-directory", "/b", "--capture-photo-bytes-max", "64MiB"]
        let text = await refusal { _ = try await made(arguments) }
        #expect(text.hasPrefix(words))
    }

    @Test(arguments: [
        (["--queue-partitions", "512"], "queue.bytesMax: takes at least 8053063680"),
        (["--queue-partitions", "512", "--queue-bytes-max", "8GiB"], "accepted"),
        (["--queue-partitions", "256"], "accepted"),
        (["--queue-bytes-max", "14MiB", "--bundles-store", "filesystem"], "queue.bytesMax: takes at least 15728640"),
        (["--queue-partitions", "3"], "queue.partitions: takes a power of two, 1 to 1024"),
    ])
    func `a partition in which the largest bundle would never have room is refused`(
        arguments: [String], words: String
    ) async {
        let text = await refusal { _ = try await made(arguments) }
        #expect(text.hasPrefix(words))
    }

    @Test(arguments: [
        ("redis://127.0.0.1:6379", "redis.tlsRoots: is for"), ("unix:///run/redis.sock", "redis.tlsRoots: is for"),
        ("rediss://redis.example", "redis.tlsRoots: /none/roots.pem cannot be used"),
    ])
    func `roots for a Redis that is reached without TLS, and such as cannot be read, are refused`(
        url: String, words: String
    ) async throws {
        let settings = try await made(["--redis-url", url, "--redis-tls-roots", "/none/roots.pem"])
        let text = await refusal { _ = try settings.redisConfiguration(name: "test") }
        #expect(text.hasPrefix(words))
    }

    @Test(
        arguments: [
            ("rediss://redis.example", "/c.pem", "/c.key", "redis.tlsCertificate: /c.pem cannot be used"),
            ("rediss://redis.example", "/c.pem", nil, "redis.tlsCertificate and redis.tlsKey: both"),
            ("rediss://redis.example", nil, "/c.key", "redis.tlsCertificate and redis.tlsKey: both"),
            ("redis://redis.example", "/c.pem", "/c.key", "redis.tlsCertificate: is for"),
            ("unix:///run/redis.sock", nil, "/c.key", "redis.tlsKey: is for"),
        ] as [(String, String?, String?, String)])
    func `a certificate for Redis comes with its key, and over TLS`(
        url: String, certificate: String?, key: String?, words: String
    ) async throws {
        let files = [("--redis-tls-certificate", certificate), ("--redis-tls-key", key)]
        let settings = try await made(
            ["--redis-url", url] + files.flatMap { flag, file in file.map { [flag, $0] } ?? [] })
        let text = await refusal { _ = try settings.redisConfiguration(name: "test") }
        #expect(text.hasPrefix(words))
    }

    @Test(
        arguments: [
            ("redis://127.0.0.1", "postgresql:///capture", []),
            ("unix:///run/redis.sock", "host=localhost dbname=capture", []),
            ("rediss://redis.example", "postgresql://app:secret@db/capture?sslmode=verify-full", []),
            (
                "redis://:secret@redis.example", "postgresql://app:secret@db/capture",
                ["redis.url redis:// to another machine", "sslmode in postgres.url prefer"]
            ),
            ("redis://127.0.0.1.example", "host=127.0.0.2", ["redis.url redis:// to another machine"]),
            ("rediss://redis.example", "host=db sslmode=verify-ca", ["sslmode in postgres.url verify-ca"]),
            ("rediss://redis.example", "host=/run/postgresql,db sslmode=require", ["sslmode in postgres.url require"]),
        ] as [(String, String, [String])])
    func `a server on another machine that anybody could pass for is told of`(
        redis: String, postgres: String, told: [String]
    ) async throws {
        let settings = try await made(["--redis-url", redis, "--postgres-url", postgres])
        let problems = try settings.transportProblems()
        #expect(problems.map { "\($0.setting) \($0.value ?? "")" } == told)
        #expect(problems.allSatisfy { $0.gravity == .precaution && !"\($0)".contains("secret") })
    }
}
