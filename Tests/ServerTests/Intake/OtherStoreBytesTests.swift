import AppAttest
import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

/// Its workers look there, and not where the gateway stores what is uploaded.
@Suite("Bytes for a capture in Redis, at a gateway that stores others elsewhere", .timeLimit(.minutes(2)))
struct OtherStoreBytesTests {
    /// A gateway's way of accepting captures, without a ledger.
    private func acceptance(_ fixture: QueueFixture) throws -> Acceptance {
        let time = ManualTime()
        let dependencies = GatewayDependencies(
            queue: fixture.queue("gateway"),
            bundles: BundleStores(primary: MemoryBundleStore(named: .filesystem), others: [fixture.bundles]),
            store: MemoryCaptureStore(time: time.source), challenges: RedisChallengeStore(client: fixture.client),
            limiter: RedisRateLimiter(client: fixture.client, logger: .quiet),
            changes: RedisStateChanges(client: fixture.client, keyspace: fixture.keyspace, logger: .quiet),
            metrics: nil, now: { Timestamp(Date()) }, random: { .random(in: 0 ... .max) }, logger: .quiet)
        let app = try #require(AppID("TEAM000000.app.capture"))
        return Acceptance(
            limits: GatewayConfiguration(appIDs: [app]).intake, dependencies: dependencies, journal: nil)
    }

    @Test func `lost bytes that an upload brings back do not expire while the capture waits`() async throws {
        try await QueueFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 151)
            let device = maker.device()
            let bundle = UploadedBundle.signed(1, of: device)
            let first = bundle.submission(as: CaptureID(UUID()), of: device, receivedAt: nil, in: .redis)
            #expect(try await fixture.upload(first) == .accepted)
            let keys = fixture.keyspace.partition(of: device)
            let photo = RedisArgument.string(keys.photo(first.id))
            let depth = RedisArgument.string(keys.depth(first.id))
            try await fixture.redis("DEL", photo, depth)

            let again = try await acceptance(fixture).accept(
                bundle, of: device, traceParent: nil, logger: .quiet
            ) { true }
            #expect(again == Acceptance.Accepted(id: first.id, state: .queued, isDuplicate: true))
            #expect(try await fixture.redis("GET", photo).buffer == bundle.media.photo)
            #expect(try await fixture.redis("PTTL", photo).int == -1)
            #expect(try await fixture.redis("PTTL", depth).int == -1)
        }
    }
}
