import Testing

@testable import CaptureSettings

@Suite("The place that a refused setting comes from")
struct RefusedSettingPlaceTests: SettingsRefusal {
    @Test(arguments: ["postgres.url", "redis.url", "gateway.host", "apple.receiptsURL"])
    func `a setting with a default is not left empty, in the environment or in the file`(key: String) async throws {
        let setting = try #require(Setting.all.first { $0.key == key })
        let words = "\(key): is empty; leave it out for its default"
        #expect(await refusal([], [setting.environmentName: ""]) == "\(words) (from \(setting.environmentName))")
        #expect(await refusal(["\(setting.flagName)="]) == "\(words) (from \(setting.flagName))")
        let parts = key.split(separator: ".")
        let file = try await refusal(ofFile: "\(parts[0]):\n  \(parts[1]): \"\"\n")
        #expect(file.hasPrefix("\(words) (from /") && file.hasSuffix("/c.yaml)"), "\(file)")
    }

    /// The file may be right, and a forgotten variable of the shell wrong.
    @Test func `a value that is refused is told with the place that it comes from`() async throws {
        let words = "queue.lease: '5' is not what it takes; it takes 500ms to 10m"
        let text = try await withFile("queue:\n  lease: 5s\n") { file in
            await refusal(["--config", file], ["CAPTURE_QUEUE_LEASE": "5"])
        }
        #expect(text == "\(words) (from CAPTURE_QUEUE_LEASE)")
        let flag = await refusal(["--queue-lease", "5"], ["CAPTURE_QUEUE_LEASE": "5s"])
        #expect(flag == "\(words) (from --queue-lease)")
        let redis = await refusal([], ["CAPTURE_REDIS_URL": "localhost"]) { _ = try $0.redisPlace() }
        #expect(redis == "redis.url: the Redis URL cannot be used: it has no scheme (from CAPTURE_REDIS_URL)")
        let postgres = await refusal(["--postgres-url", "postgresql://[::1/capture"])
        #expect(postgres.hasPrefix("postgres.url: ") && postgres.hasSuffix(" (from --postgres-url)"), "\(postgres)")
    }

    /// What is refused after all values were read, too.
    @Test func `an entry of a list that is refused is told with the place that it comes from`() async throws {
        let app = await refusal([], ["CAPTURE_APP_IDS": "app"]) { _ = try $0.appIDs() }
        #expect(app.hasPrefix("app.ids: 'app' is no app id") && app.hasSuffix(" (from CAPTURE_APP_IDS)"), "\(app)")
        let binding = await refusal(["--capture-bindings", "v0"]) { _ = try $0.bindings() }
        let words = "capture.bindings: 'v0' is not a binding; it takes concat-v1, framed-v2"
        #expect(binding == "\(words) (from --capture-bindings)")
        let partitions = await refusal([], ["CAPTURE_QUEUE_PARTITIONS": "3"])
        #expect(partitions == "queue.partitions: takes a power of two, 1 to 1024 (from CAPTURE_QUEUE_PARTITIONS)")
    }
}
