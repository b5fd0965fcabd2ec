import AppAttest
import CaptureInspection
import CaptureModel
import CaptureQueue
import CaptureStore
import FoundationEssentials
import IntakeJournal
import Logging
import NIOCore
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

/// A gateway's way of accepting captures over real servers of its own, with its ledger and its reconciler.
struct IntakeFixture: Sendable {
    let queue: QueueFixture
    let store: PostgresCaptureStore
    let ledger: PostgresIntakeLedger
    let bundles: any BundleStore
    let reconciler: IntakeReconciler
    let acceptance: Acceptance

    /// Runs a body on empty servers.
    /// - Parameters:
    ///   - restoreWait: How long an upload waits for the queue to be restored.
    ///   - outside: A store for the bytes that is not Redis.
    static func with(
        partitions: Int = 1, restoreWait: Duration = .milliseconds(1), outside: MemoryBundleStore? = nil,
        configure: (inout IntakeReconciler.Configuration) -> Void = { _ in },
        _ body: (IntakeFixture) async throws -> Void
    ) async throws {
        let server = try await PrivateRedis.start(["--appendfsync", "no"])
        var limits = RedisQueueConfiguration.ofTests
        limits.hasLedger = true
        limits.leaseDuration = .zero
        // Workers of these runs crash again and again; that makes no capture suspect.
        limits.deliveriesMax = 1_000_000
        var configuration = IntakeReconciler.Configuration()
        configuration.grace = .zero
        configuration.pageMax = 7
        configure(&configuration)
        try await QueueFixture.with(server, partitions: partitions, configuration: limits) { queue in
            try await withPostgresStore { store, client async throws in
                let fixture = try IntakeFixture(
                    queue: queue, store: store, client: client, restoreWait: restoreWait, outside: outside,
                    configuration: configuration)
                try await body(fixture)
            }
        }
        try await server.stop()
    }

    /// Runs a body beside a gateway's services, after the first turn of its reconciler, with a registered device.
    static func withDevice(_ body: (IntakeFixture, Device) async throws -> Void) async throws {
        try await with { fixture async throws in
            let device = try await fixture.store.registered()
            try await fixture.running {
                try await fixture.firstTurn()
                try await body(fixture, device)
            }
        }
    }

    private let journal: IntakeJournal
    private let client: PostgresClient

    /// Changes the database behind everybody's back.
    func execute(_ script: String) async throws {
        try await client.executeScript(script)
    }

    /// Runs a body while another session keeps a capture's row locked.
    func locking(_ capture: CaptureID, _ body: () async throws -> Void) async throws {
        let result = try await client.withTransaction {
            connection throws(PostgresError) -> Result<Void, any Error> in
            try await connection.executeScript(
                """
                SET LOCAL idle_in_transaction_session_timeout = 0;
                SELECT FROM intake WHERE capture_id = '\(capture)' FOR UPDATE
                """)
            do {
                try await body()
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private static let settled = PostgresStatement("settled_captures_of_tests", "SELECT id FROM captures")

    /// Every capture that has a result, whoever knows of it.
    func settledCaptures() async throws -> [CaptureID] {
        try await client.execute(Self.settled).rows.map { row in CaptureID(try row.uuid("id")) }
    }

    private init(
        queue: QueueFixture, store: PostgresCaptureStore, client: PostgresClient, restoreWait: Duration,
        outside: MemoryBundleStore?, configuration: IntakeReconciler.Configuration
    ) throws {
        self.queue = queue
        self.store = store
        self.client = client
        let ledger = PostgresIntakeLedger(client: client)
        self.ledger = ledger
        bundles = outside ?? queue.bundles
        let random: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
        let gateway = queue.queue("gateway")
        let reconciler = IntakeReconciler(
            queue: gateway, ledger: ledger, store: store, bundles: bundles, configuration: configuration,
            random: random, outages: Outages(logger: .quiet), logger: .quiet)
        self.reconciler = reconciler
        var dependencies = GatewayDependencies(
            queue: gateway, bundles: bundles, store: store, challenges: RedisChallengeStore(client: queue.client),
            limiter: RedisRateLimiter(client: queue.client, logger: .quiet),
            changes: RedisStateChanges(client: queue.client, keyspace: queue.keyspace, logger: .quiet), metrics: nil,
            now: { Timestamp(Date()) }, random: random, logger: .quiet)
        dependencies.intake = ledger
        dependencies.onRestoring = { reconciler.wake() }
        guard let app = AppID("TEAM000000.app.capture") else { throw QueueError(.refused, "no app") }
        var settings = GatewayConfiguration(appIDs: [app])
        settings.intake.restoreWait = restoreWait
        // The record commits for the tests of all.
        settings.intake.wait = .seconds(60)
        journal = IntakeJournal(ledger: ledger, limits: IntakeJournal.Limits(settings.intake))
        acceptance = Acceptance(limits: settings.intake, dependencies: dependencies, journal: journal)
    }

    /// Runs the services of a gateway beside a body.
    func running(reconciling: Bool = false, _ body: () async throws -> Void) async throws {
        let journal = journal, reconciler = reconciler
        let tasks = [Task { try await journal.run() }] + (reconciling ? [Task { try await reconciler.run() }] : [])
        defer { for task in tasks { task.cancel() } }
        try await body()
    }

    /// The first turn of a reconciler; the round goes on with the next one.
    @discardableResult
    func firstTurn() async throws -> ReconcilerRound {
        var round = ReconcilerRound(IntakeReconciler.Configuration())
        try await reconciler.turn(&round)
        return round
    }

    /// Records what a device's captures of a lease say, each with the counter that it carries.
    /// - Parameter foreign: The one that the device has not signed.
    func decide(
        _ lease: Lease, of device: Device?, foreign: CaptureID? = nil
    ) async throws -> [SettledCapture] {
        let captures = try lease.jobs.map { claimed throws -> ExaminedCapture in
            guard case .valid(let job) = claimed else { throw QueueError(.malformedReply, "a malformed job") }
            return ExaminedCapture(
                job: job, clientDataHash: .hash([1]), checks: [Check(.device, .pass)],
                outcome: .of(device, counter: job.id == foreign ? nil : job.submission.counter), capturedAt: nil,
                verifiedAt: Timestamp(Date()))
        }
        return try await store.settle(captures, policy: .strict)
    }

    /// Verifies and settles the captures at the head of the only lane, which have their bytes.
    @discardableResult
    func settle(of device: Device, foreign: CaptureID? = nil) async throws -> [CaptureID] {
        let queue = queue.queue()
        let lease = try await queue.claimOne()
        #expect(try await bundles.fetch(lease.jobs.compactMap(\.submission)).allSatisfy { $0.media != nil })
        let decisions = try await decide(lease, of: device, foreign: foreign)
        #expect(try await queue.settle([lease.settling(decisions)]) == [.settled])
        return decisions.map(\.id)
    }

    /// Uploads what a device has signed with a counter.
    func upload(_ counter: UInt32, of device: DeviceID) async throws(APIError) -> Acceptance.Accepted {
        try await acceptance.accept(
            UploadedBundle.signed(counter, of: device), of: device, traceParent: nil, logger: .quiet
        ) { true }
    }

    /// Uploads what a device is to have signed with a counter, the assertion as Apple's encoder writes it.
    func upload(
        _ counter: UInt32, of device: DeviceID, signature: UInt8, isGood: Bool
    ) async throws(APIError) -> Acceptance.Accepted {
        let assertion = SignedUpload.assertion(counter, signature: signature)
        return try await acceptance.accept(
            UploadedBundle.signed(counter, of: device, assertion: assertion), of: device, traceParent: nil,
            logger: .quiet
        ) { isGood }
    }
}

extension UploadedBundle {
    /// A bundle that stands for a counter, which it carries in its assertion.
    static func signed(
        _ counter: UInt32, of device: DeviceID, assertion: [UInt8]? = nil, binding: Binding = .concatV1
    ) -> UploadedBundle {
        let photo = Array("photo \(counter) of \(device)".utf8)
        let depth = Array("depth \(counter)".utf8)
        let metadata = Array(
            #"{"captured_at":"2026-03-14T09:26:53Z","device_model":"a","depth_map_dimensions":{"width":2,"height":2}}"#
                .utf8)
        guard let declared = try? CaptureMetadata.parse(metadata) else { preconditionFailure("metadata of the tests") }
        return UploadedBundle(
            media: CaptureMedia(photo: ByteBuffer(bytes: photo), depth: ByteBuffer(bytes: depth)),
            assertion: assertion ?? withUnsafeBytes(of: counter.bigEndian, Array.init), metadata: metadata,
            declared: declared, binding: binding, photoDigest: .hash(photo), depthDigest: .hash(depth),
            metadataDigest: .hash(metadata), pairHasher: nil)
    }
}

extension CaptureSubmission {
    /// The counter that the assertion of a test's bundle carries.
    var counter: UInt32 { assertion.reduce(0) { $0 << 8 | UInt32($1) } }
}
