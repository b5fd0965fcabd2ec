import CaptureModel
import CaptureSettings
import PostgresClient
import RedisCaptureQueue
import Testing

@Suite("What follows from settings for queue and workers")
struct DerivedSettingsTests {
    private static let minimum = SettingsTests.minimum

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

    @Test(arguments: [("10ms", 10), ("1s", 10), ("20s", 60)])
    func `a mark of the queue outlives several looks of a gateway`(interval: String, seconds: Int) async throws {
        let settings = try await Settings(arguments: ["--intake-interval", interval], environment: Self.minimum)
        #expect(settings.queueConfiguration.markLifetime == .seconds(seconds))
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

    @Test(arguments: [("ledger", 900), ("fsync", 7 * 86_400), ("replicated", 7 * 86_400)])
    func `bytes that nobody knows go early only where a ledger would know them`(
        durability: String, seconds: Int
    ) async throws {
        let settings = try await Settings(
            arguments: ["--queue-durability", durability], environment: Self.minimum)
        #expect(settings.orphanAge == .seconds(900))
        #expect(settings.unknownAge == .seconds(seconds))
    }
}
