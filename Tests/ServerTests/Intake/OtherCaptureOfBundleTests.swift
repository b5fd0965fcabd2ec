import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import NIOCore
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

/// Two captures of one bundle would be one that is verified and one that is called a replay.
@Suite("A row whose bundle was handed off as another capture", .timeLimit(.minutes(5)))
struct OtherCaptureOfBundleTests {
    /// Hands a bundle off; returns its capture.
    private func handOff(
        _ counter: UInt32, of device: Device, _ fixture: IntakeFixture, binding: Binding = .concatV1
    ) async throws -> CaptureID {
        let bundle = UploadedBundle.signed(counter, of: device.id, binding: binding)
        let handed = bundle.submission(as: CaptureID(UUID()), of: device.id, receivedAt: nil, in: .redis)
        try await fixture.queue.bundles.put(bundle.media, of: handed)
        #expect(try await fixture.queue.queue("handing-off").enqueue(handed) == .accepted)
        return handed.id
    }

    /// Leaves what an upload has left whose gateway died behind the row; returns its capture.
    private func leaveRow(_ counter: UInt32, of device: Device, _ fixture: IntakeFixture) async throws -> CaptureID {
        let bundle = UploadedBundle.signed(counter, of: device.id)
        let upload = bundle.submission(
            as: CaptureID(UUID()), of: device.id, receivedAt: Timestamp(Date()), in: fixture.bundles.name)
        try await fixture.bundles.put(bundle.media, of: upload)
        #expect(try await fixture.ledger.record([upload]) == [.recorded])
        return upload.id
    }

    private func open(_ fixture: IntakeFixture) async throws -> [CaptureID] {
        try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 1_000).map(\.capture)
    }

    @Test(arguments: [false, true])
    func `an upload passes the row on, whoever has claimed it, and is told of the capture that waits`(
        isClaimed: Bool
    ) async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let handed = try await handOff(1, of: device, fixture)
            let left = try await leaveRow(1, of: device, fixture)
            if isClaimed { _ = try await fixture.ledger.claim([left]) }
            for _ in 0..<2 {
                #expect(
                    try await fixture.upload(1, of: device.id) == .init(id: handed, state: .queued, isDuplicate: true))
                #expect(try await open(fixture) == [handed])
                try await fixture.firstTurn()
            }
            #expect(try await fixture.queue.queue().load().captures == 1)
        }
    }

    @Test(arguments: [false, true])
    func `a row is no second capture: it is passed to the other one, and goes if that has its result`(
        isSentAgain: Bool
    ) async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let handed = try await handOff(1, of: device, fixture)
            _ = try await leaveRow(1, of: device, fixture)
            try await fixture.firstTurn()
            #expect(try await fixture.queue.queue().load().captures == 1)
            #expect(try await open(fixture) == [handed])
            _ = try await fixture.ledger.discard(handed)
            let late = try await leaveRow(1, of: device, fixture)
            try await fixture.settle(of: device)
            #expect(try await open(fixture) == [late])
            if !isSentAgain { try await fixture.firstTurn() }
            let again = try await fixture.upload(1, of: device.id)
            #expect(again == .init(id: handed, state: .verified, isDuplicate: true))
            #expect(try await open(fixture).isEmpty)
            #expect(try await fixture.queue.queue().load().captures == 0)
            #expect(try await fixture.settledCaptures() == [handed])
        }
    }

    /// Passed on, the row would refuse that one's result, and the genuine capture would never be worked.
    @Test func `a row comes back where its digest was handed off for a capture of another binding`() async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let handed = try await handOff(1, of: device, fixture, binding: .framedV2)
            let left = try await leaveRow(1, of: device, fixture)
            for _ in 0..<2 {
                try await fixture.firstTurn()
                #expect(try await open(fixture) == [left])
            }
            #expect(try await fixture.queue.queue().claimOne(captures: 9).ids == [handed, left])
        }
    }

    @Test func `the other capture comes back from the row, with its bytes, when Redis has lost it`() async throws {
        let outside = MemoryBundleStore(named: .filesystem)
        try await IntakeFixture.with(outside: outside) { fixture async throws in
            let device = try await fixture.store.registered()
            try await fixture.firstTurn()
            let handed = try await handOff(1, of: device, fixture)
            _ = try await leaveRow(1, of: device, fixture)
            try await fixture.firstTurn()
            try await fixture.queue.redis("FLUSHALL")
            try await fixture.firstTurn()
            let lease = try await fixture.queue.queue().claimOne(captures: 9)
            #expect(lease.ids == [handed])
            let submissions = lease.jobs.compactMap(\.submission)
            #expect(submissions.map(\.bundleStore) == [outside.name])
            #expect(try await outside.fetch(submissions).first?.media == UploadedBundle.signed(1, of: device.id).media)
        }
    }

    /// As after the restore of an older record: no later capture of the device gets ahead meanwhile.
    @Test func `a row comes back in its order when the other capture is nowhere`() async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            var rows: [CaptureID] = []
            for counter in 1...3 as ClosedRange<UInt32> {
                _ = try await handOff(counter, of: device, fixture)
                let queue = fixture.queue.queue()
                // By Redis's word alone.
                #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            }
            for counter in 1...4 as ClosedRange<UInt32> {
                rows.append(try await leaveRow(counter, of: device, fixture))
            }
            try await fixture.firstTurn()
            #expect(try await fixture.queue.queue().claimOne(captures: 9).ids == rows)
        }
    }

    @Test func `a hand-off and uploads of one bundle at the same moment are one capture with one row`() async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let counters = 1...12 as ClosedRange<UInt32>
            for counter in counters {
                let handed = try await handOff(counter, of: device, fixture)
                try await withThrowingTaskGroup(of: CaptureID.self) { uploads in
                    for _ in 0..<4 {
                        uploads.addTask { try await Self.patiently(counter, of: device.id, fixture) }
                    }
                    for try await told in uploads { #expect(told == handed) }
                }
            }
            try await fixture.firstTurn()
            #expect(try await open(fixture).count == counters.count)
            #expect(try await fixture.queue.queue().load().captures == counters.count)
        }
    }

    /// Uploads a bundle, and once more as long as its row is on the move.
    private static func patiently(
        _ counter: UInt32, of device: DeviceID, _ fixture: IntakeFixture
    ) async throws -> CaptureID {
        for _ in 0..<20 {
            do throws(APIError) {
                return try await fixture.upload(counter, of: device).id
            } catch {
                guard error.code == .unavailable else { throw error }
            }
        }
        return try await fixture.upload(counter, of: device).id
    }

    /// The submission with the assertion that an ``EnqueueCall`` hands off.
    private func asHandedOff(_ submission: CaptureSubmission) -> CaptureSubmission {
        CaptureSubmission(
            id: submission.id, device: submission.device, bundleDigest: submission.bundleDigest,
            binding: submission.binding, assertion: Array("a".utf8), metadata: submission.metadata,
            photoDigest: submission.photoDigest, depthDigest: submission.depthDigest,
            photoBytes: submission.photoBytes, depthBytes: submission.depthBytes, receivedAt: submission.receivedAt,
            traceParent: submission.traceParent, bundleStore: submission.bundleStore)
    }

    /// Nobody was told the row's id unless the capture was in the queue, where the bundle then led to it.
    @Test(arguments: [false, true])
    func `a lost capture comes back beside one that was handed off after the loss, and not before it`(
        isAfterLoss: Bool
    ) async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.markRestored(1)
            var maker = SubmissionMaker(seed: 17)
            let lost = asHandedOff(maker.submission(of: maker.device()))
            let handed = lost.with(id: CaptureID(UUID())), later = lost.with(id: CaptureID(UUID()))
            let handOff = EnqueueCall(handed, keyspace: fixture.keyspace).command
            if !isAfterLoss { #expect(try await fixture.client.send(handOff).array?.first?.string == "accepted") }
            try await RestorationTests.Loss.functionsLoadedAgain.happen(to: fixture)
            if isAfterLoss {
                #expect(try await fixture.client.send(handOff).array?.first?.string == "accepted")
                await #expect(throws: QueueError(.restoring, "")) { try await fixture.upload(later) }
            }
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(2))
            let outcomes = try await queue.restore(
                [LostCapture(submission: lost, isRedriven: false)], in: 0, under: .numbered(2))
            #expect(outcomes.count == 1)
            if isAfterLoss {
                #expect(outcomes == [.lost])
            } else if case .queued(as: let other, receivedAt: _)? = outcomes.first {
                #expect(other == handed.id)
            } else {
                Issue.record("\(outcomes)")
            }
            _ = try await queue.finishRestoration(of: 0, mark: .numbered(2))
            #expect(try await fixture.upload(later) == .duplicate(of: handed.id))
        }
    }
}
