import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// Captures whose jobs and ledger rows tell different times, as those of a gateway whose clock is wrong.
@Suite("When a worker's captures were received", .timeLimit(.minutes(2)))
struct LedgerTimeTests {
    /// Seconds from the revocation by a job, and by the ledger where it has the capture.
    private static let times: [(job: Int, ledger: Int?)] = [(5, -1), (-5, 1), (-5, nil), (5, nil)]

    @Test func `the ledger says when captures of a revoked device were received, and their jobs only without it`()
        async throws
    {
        let (reasons, times, checks) = try await results(of: Self.times, revokedBefore: .seconds(60))
        #expect(reasons == [nil, .deviceRevoked, nil, .deviceRevoked])
        #expect(times == Self.times.map { $0.ledger ?? $0.job })
        for capture in [1, 3] {
            #expect(checks[capture].first == Check(.device, .fail, .deviceRevoked))
            // Looked at all the same: whoever revokes a device wants to know what comes from it.
            #expect(checks[capture].contains(Check(.assertion, .pass)))
        }
    }

    /// The ledger has the time of the gateway that wrote it, and the record's own of when it was written.
    @Test func `a gateway whose clock is behind makes no capture older than a revocation`() async throws {
        let times: [(job: Int, ledger: Int?)] = [(-3600, -3600), (3600, 7200)]
        #expect(
            try await results(of: times, revokedBefore: .seconds(3600)).reasons == [.deviceRevoked, .deviceRevoked])
    }

    /// Jobs are in Redis: whoever writes there could give a capture a time of which no list is asked, or one before its
    /// key was stolen.
    @Test func `a job's time moves no capture that the ledger has, and none behind its own settlement`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let received = Timestamp.systemTime().advanced(by: .seconds(-60))
            let uploads = (1...4).map { SignedUpload.make(device, $0, receivedAt: received) }
            _ = try await ledger.record(Array(uploads[..<3]))
            let never = try #require(Timestamp(rfc3339: "9999-12-31T23:59:59Z"))
            let times = [never, received.advanced(by: .seconds(-86_400 * 365)), received, never]
            let captures = zip(uploads, times).enumerated().map { place, capture in
                SignedUpload.verified(
                    capture.0, of: device, counter: UInt32(place + 1), receivedAt: capture.1)
            }
            // The third one apart, beside a capture without a signature: not everything is accepted as it stands there.
            let plain = try await store.settle([captures[0], captures[1]], policy: .strict)
            let mixed = try await store.settle(
                [captures[2], captures[3], .sample(nil, counter: nil, receivedAt: never)], policy: .strict)
            #expect((plain + mixed).map(\.reason) == [nil, nil, nil, nil, .deviceUnknown])
            let results = try await store.results(of: uploads.map(\.id))
            #expect(uploads[..<3].map { results[$0.id]?.receivedAt } == [received, received, received])
            let last = try #require(results[uploads[3].id])
            #expect(last.receivedAt == last.settledAt)
            let seen = try #require(try await store.record(of: device.id)?.lastSeen)
            #expect(seen == last.receivedAt)
        }
    }

    /// What becomes of captures with such times, of a device that was revoked some time ago: reason, time of receipt in
    /// seconds from the revocation, checks.
    private func results(
        of times: [(job: Int, ledger: Int?)], revokedBefore age: Duration
    ) async throws -> (reasons: [Reason?], times: [Int], checks: [[Check]]) {
        var answer: (reasons: [Reason?], times: [Int], checks: [[Check]]) = ([], [], [])
        try await withPostgresStore { store, client async throws in
            let revokedAt = Timestamp(Date()).advanced(by: .zero - age)
            let crowd = try await Crowd.register(1, in: store)
            let member = try #require(crowd.devices.first)
            #expect(try await store.revoke(member.id, at: revokedAt, reason: "lost", actor: "alice"))
            let bundles = MemoryBundleStore(named: .filesystem)
            let queue = MemoryCaptureQueue(time: Timestamp.systemTime, bundles: bundles)
            let ledger = PostgresIntakeLedger(client: client)
            let picture = SharedPicture(try Crowd.smallCapture())
            var captures: [CaptureID] = []
            for time in times {
                let received = revokedAt.advanced(by: .seconds(time.job))
                let record: @Sendable (CaptureSubmission) async throws -> IntakeOutcome = { submission in
                    guard let seconds = time.ledger else { return .recorded }
                    let other = submission.received(at: revokedAt.advanced(by: .seconds(seconds)))
                    return try await ledger.record([other])[0]
                }
                let handOff = HandOff(queue: queue, bundles: bundles, record: record, now: { received }) { moment in
                    var generator = SystemRandomNumberGenerator()
                    return CaptureID.make(at: moment, using: &generator)
                }
                captures.append(try await handOff.send(picture, from: member))
            }
            let results = try await worked(captures, of: queue, bundles, in: store)
            let known = captures.compactMap { results[$0] }
            answer = (
                known.map(\.reason), known.map { Int($0.receivedAt.since(revokedAt).components.seconds) },
                known.map(\.checks)
            )
        }
        return answer
    }

    private func worked(
        _ captures: [CaptureID], of queue: MemoryCaptureQueue, _ bundles: MemoryBundleStore,
        in store: PostgresCaptureStore
    ) async throws -> [CaptureID: ProvenanceResult] {
        try await withWorker(
            of: queue, bundles: bundles, store: store, app: "TEAM123456.com.example.capture", now: Timestamp.systemTime
        ) {
            try await eventually { try await store.results(of: captures).count == captures.count }
        }
        return try await store.results(of: captures)
    }
}
