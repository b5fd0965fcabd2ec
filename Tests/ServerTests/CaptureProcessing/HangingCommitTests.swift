import CaptureModel
import CaptureProcessing
import CaptureQueue
import DeviceSimulator
import PostgresCaptureStore
import PostgresClient
import Synchronization
import Testing
import TestSupport
import Waiting

@Suite("A commit that hangs on a standby that is missing", .timeLimit(.minutes(2)))
struct HangingCommitTests {
    /// A queue that counts how often a lane was put off.
    private final class CountingQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        let putOffs = Mutex(0)

        init(_ memory: MemoryCaptureQueue) { self.memory = memory }

        func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
            let count = settlements.count { if case .delayed = $0.continuation { true } else { false } }
            putOffs.withLock { $0 += count }
            return try await memory.settle(settlements)
        }
    }

    @Test func `a hanging commit puts its captures off for as long as it holds their locks, and none dies of it`()
        async throws
    {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        let bundles = MemoryBundleStore(named: .filesystem)
        let queue = CountingQueue(MemoryCaptureQueue(time: Timestamp.systemTime, bundles: bundles))
        var captures: [CaptureID: DeviceID] = [:]
        try await withClient(conninfo) { client in
            _ = try await Migrator(client: client).up()
            let crowd = try await Crowd.register(1, in: PostgresCaptureStore(client: client))
            captures = try await crowd.enqueue(
                rounds: 1, sharing: Crowd.smallCapture(), queue: queue.memory, bundles: bundles)
        }
        let capture = try #require(captures.keys.first)
        try await server.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        // Not by a reload: nobody tells when that is done.
        try await server.stop()
        try await server.restart()
        try await withClient(conninfo, Self.hasten) { client in
            try await whileWorked(queue, bundles, PostgresCaptureStore(client: client)) {
                try await eventually {
                    guard let status = try await queue.status(of: [capture])[0] else { return false }
                    // Each of them would be an attempt, if they were its own.
                    return queue.putOffs.withLock { $0 } > 2 * Self.attemptsMax
                        && status.attempts <= Self.attemptsMax && status.fault?.contains("55P03") == true
                }
                try await server.psql("ALTER SYSTEM RESET synchronous_standby_names")
                try await server.psql("SELECT pg_reload_conf()")
                try await eventually { try await queue.status(of: [capture])[0]?.state == .verified }
            }
        }
        try await server.stop()
    }

    private static let attemptsMax = 2

    /// Gives up on a commit and on a lock sooner than a program does.
    private static func hasten(_ configuration: inout PostgresConfiguration) {
        configuration.statementTimeout = .milliseconds(500)
        configuration.answerGrace = .milliseconds(500)
        configuration.lockTimeout = .milliseconds(50)
    }

    private func whileWorked(
        _ queue: CountingQueue, _ bundles: MemoryBundleStore, _ store: PostgresCaptureStore,
        _ body: () async throws -> Void
    ) async throws {
        try await withWorker(
            of: queue, bundles: bundles, store: store, app: "TEAM123456.com.example.capture", now: Timestamp.systemTime
        ) {
            $0.attemptsMax = Self.attemptsMax
            $0.retryBackoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
            $0.outageHold = .milliseconds(200)
        } _: {
            try await body()
        }
    }
}
