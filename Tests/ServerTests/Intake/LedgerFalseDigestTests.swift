import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import NIOCore
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("A digest that a hand-off has named for other bytes", .timeLimit(.minutes(3)))
struct LedgerFalseDigestTests {
    @Test(arguments: [false, true])
    func `a false digest of a hand-off keeps no genuine upload out, while its capture waits and afterwards`(
        isSettled: Bool
    ) async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let digest = UploadedBundle.signed(1, of: device.id).digest(device: device.id)
            var maker = SubmissionMaker(seed: 1)
            let foreign = maker.submission(of: device.id, digest: digest)
            #expect(try await fixture.queue.upload(foreign) == .accepted)
            if isSettled { try await fixture.settle(of: device, foreign: foreign.id) }

            let genuine = try await fixture.upload(1, of: device.id)
            #expect(genuine.id != foreign.id && genuine.state == .queued && !genuine.isDuplicate)
            let again = try await fixture.upload(1, of: device.id)
            #expect(again == Acceptance.Accepted(id: genuine.id, state: .queued, isDuplicate: true))
            #expect(try await fixture.ledger.entries(of: [genuine.id]).first?.submission.bundleDigest == digest)
            try await fixture.settle(of: device, foreign: foreign.id)
            let results = try await fixture.store.results(of: [foreign.id, genuine.id])
            #expect(results[foreign.id]?.verdict == .rejected && results[genuine.id]?.verdict == .verified)
        }
    }

    /// Whoever hands off may declare a genuine bundle, byte by byte, and store others.
    @Test func `a false digest of a hand-off keeps no genuine upload out by bytes that are not the declared ones`()
        async throws
    {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let bundle = UploadedBundle.signed(1, of: device.id)
            let foreign = bundle.submission(as: CaptureID(UUID()), of: device.id, receivedAt: nil, in: .redis)
            // Of the declared size.
            #expect(try await fixture.queue.upload(foreign) == .accepted)
            let genuine = try await fixture.upload(1, of: device.id)
            let asForeign = Acceptance.Accepted(id: foreign.id, state: .queued, isDuplicate: true)
            #expect(genuine == asForeign, "but for the bytes it is the genuine capture")
            #expect(try await fixture.bundles.fetch([foreign]).first?.media == bundle.media)
            #expect(try await fixture.ledger.entries(of: [foreign.id]).map(\.submission.id) == [foreign.id])
            #expect(try await fixture.upload(1, of: device.id) == asForeign)
        }
    }

    /// Nobody here can look for its bytes: the upload's own would be given away for ones that may be nowhere.
    @Test func `a hand-off into a store that is not configured here keeps no genuine upload out once it was given up`()
        async throws
    {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let foreign = UploadedBundle.signed(1, of: device.id).submission(
                as: CaptureID(UUID()), of: device.id, receivedAt: nil, in: .filesystem)
            let queue = fixture.queue.queue()
            #expect(try await queue.enqueue(foreign) == .accepted)
            await #expect(throws: APIError.self) { try await fixture.upload(1, of: device.id) }
            #expect(try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
            #expect(try await queue.settle([try await queue.claimOne().burying()]) == [.settled])
            let genuine = try await fixture.upload(1, of: device.id)
            #expect(genuine.id != foreign.id && genuine.state == .queued && !genuine.isDuplicate)
            let rows = try await fixture.ledger.entries(of: [genuine.id])
            #expect(rows.map(\.submission.bundleStore) == [.redis])
            #expect(try await fixture.bundles.fetch(rows.map(\.submission)).first?.media != nil)
        }
    }
}
