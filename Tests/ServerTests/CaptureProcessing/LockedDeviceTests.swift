import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureSettings
import DeviceSimulator
import Logging
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("A device whose row is locked", .timeLimit(.minutes(2)))
struct LockedDeviceTests {
    private static let lock = PostgresStatement(
        "test_lock_counter", "SELECT key_id FROM counters WHERE key_id = $1 FOR UPDATE")

    private let recorder = LogRecorder()

    /// A lock that was waited for as long as a batch is held would leave no time to divide the batch.
    @Test(arguments: [("20s", "100ms"), ("4s", "4s")])
    func `a device whose row is locked is put off with the reason, and others of its batch are settled meanwhile`(
        hold: String, lock: String
    ) async throws {
        let settings = try await Settings(
            arguments: ["--worker-outage-hold", hold, "--postgres-lock-timeout", lock], environment: [:],
            program: .worker)
        let conninfo = try await PrivatePostgres.shared().createDatabase()
        try await withClient(conninfo) { client in
            _ = try await Migrator(client: client).up()
            let crowd = try await Crowd.register(2, in: PostgresCaptureStore(client: client))
            let bundles = MemoryBundleStore(named: .filesystem)
            let queue = MemoryCaptureQueue(time: Timestamp.systemTime, bundles: bundles)
            // Both wait before the worker starts: its first claim takes them, as one batch.
            let captures = try await crowd.enqueue(
                rounds: 1, sharing: Crowd.smallCapture(), queue: queue, bundles: bundles)
            let member = crowd.devices[0]
            let locked = try #require(captures.first { $0.value == member.id }?.key)
            let free = try #require(captures.first { $0.value != member.id }?.key)
            try await client.withTransaction { holder async throws(PostgresError) in
                _ = try await holder.execute(Self.lock, [.bytes(member.device.keyID.bytes)])
                await settles(free, not: locked, of: queue, bundles, conninfo, settings)
            }
        }
    }

    /// Runs a worker until one capture is settled and the other is put off.
    private func settles(
        _ free: CaptureID, not locked: CaptureID, of queue: MemoryCaptureQueue, _ bundles: MemoryBundleStore,
        _ conninfo: String, _ settings: Settings
    ) async {
        let limits = settings.postgresWorkerConfiguration(name: "test")
        do {
            try await withClient(conninfo, { $0.lockTimeout = limits.lockTimeout }) { client in
                try await withWorker(
                    of: queue, bundles: bundles, store: PostgresCaptureStore(client: client),
                    app: "TEAM123456.com.example.capture", now: Timestamp.systemTime, logger: recorder.logger
                ) {
                    $0.outageHold = settings.duration(.workerOutageHold)
                } _: {
                    try await eventually { try await queue.status(of: [free])[0]?.state == .verified }
                    let status = try await queue.status(of: [free, locked])
                    #expect(status[0]?.attempts == 1, "its first batch was the locked one's")
                    #expect(status[1]?.state != .verified)
                    try await eventually { try await queue.status(of: [locked])[0]?.fault?.contains("55P03") == true }
                    #expect(recorder.lines.contains { $0.hasPrefix("error the record did not decide on all captures") })
                }
            }
        } catch {
            Issue.record(error)
        }
    }
}
