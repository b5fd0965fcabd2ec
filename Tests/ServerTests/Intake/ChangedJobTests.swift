import CaptureModel
import CaptureOperations
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

/// The ledger's row still has the capture, and its bytes are there.
@Suite("An accepted capture whose job was lost or changed in Redis", .timeLimit(.minutes(3)))
struct ChangedJobTests {
    /// What has become of the job.
    enum Harm: CaseIterable {
        case lost
        case malformed
        /// A bit of the assertion.
        case changed
        case ofAnotherDevice
    }

    private static func harm(_ harm: Harm, _ capture: CaptureID, of device: DeviceID, _ fixture: QueueFixture)
        async throws
    {
        let job = RedisArgument.string(fixture.keyspace.partition(of: device).job(capture))
        let submission = try #require(try await fixture.redis("HGET", job, "submission").buffer)
        var bytes = Array(submission.readableBytesView)
        switch harm {
        case .lost:
            try await fixture.redis("DEL", job)
            return
        case .malformed:
            try await fixture.redis("HSET", job, "bundle", "nothing")
            return
        case .changed:
            let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
            bytes[end + 1] ^= 1
        case .ofAnotherDevice:
            bytes.replaceSubrange(..<36, with: DeviceID(UUID()).description.utf8)
        }
        try await fixture.redis("HSET", job, "submission", .bytes(bytes))
    }

    /// Uploads a capture, does harm to its job, and has a worker give it up for that.
    private static func withDeadLetter(
        _ harm: Harm, _ body: (IntakeFixture, Device, CaptureID) async throws -> Void
    ) async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let capture = try await fixture.upload(1, of: device.id).id
            try await Self.harm(harm, capture, of: device.id, fixture.queue)
            let worker = fixture.queue.queue("worker")
            _ = try await worker.settle([try await worker.claimOne().burying()])
            try await body(fixture, device, capture)
        }
    }

    /// The one capture that waits is the accepted one, and gets its result.
    private static func expectVerified(_ capture: CaptureID, of device: Device, _ fixture: IntakeFixture) async throws {
        let row = try #require(try await fixture.ledger.entries(of: [capture]).first)
        guard case .valid(let job)? = try await fixture.queue.queue("worker").claimOne().jobs.first else {
            Issue.record("not a valid job")
            return
        }
        #expect(job.id == capture && job.isRedriven && job.submission.hasSameBytes(as: row.submission))
        #expect(job.submission.bundleDigest == row.submission.bundleDigest)
        #expect(job.receivedAt.millisecondsSince1970 == row.submission.receivedAt?.millisecondsSince1970)
        let examined = ExaminedCapture(
            job: job, clientDataHash: .hash([1]), checks: [], outcome: .of(device, counter: 1), capturedAt: nil,
            verifiedAt: moment(11))
        #expect(try await fixture.store.settle([examined], policy: .strict).map(\.reason) == [nil])
        #expect(try await fixture.ledger.entries(of: [capture]).isEmpty)
    }

    @Test(arguments: Harm.allCases)
    func `is worked as its row has it once its dead letter is redriven`(harm: Harm) async throws {
        try await Self.withDeadLetter(harm) { fixture, device, capture async throws in
            let queue = fixture.queue.queue()
            let letter = try #require(try await queue.deadLetter(capture))
            let actions = QueueActions(
                queue: queue, store: fixture.store, ledger: fixture.ledger, isLedgerKept: true,
                now: Timestamp.systemTime)
            let (outcome, fault) = await actions.act(.redrive, on: [letter], by: "alice")
            #expect(fault == nil && outcome.done == 1)
            #expect(try await queue.load().deadLetters == 0)
            // If a job cannot be read, what was counted for it is not known any more.
            if harm == .changed { #expect(try await QueueDoctor(queue: queue).examine().findings == []) }
            try await Self.expectVerified(capture, of: device, fixture)
        }
    }

    @Test(arguments: Harm.allCases)
    func `is worked as its row has it once its bundle is sent again`(harm: Harm) async throws {
        try await Self.withDeadLetter(harm) { fixture, device, capture async throws in
            let again = try await fixture.upload(1, of: device.id)
            #expect(again == Acceptance.Accepted(id: capture, state: .queued, isDuplicate: true))
            try await Self.expectVerified(capture, of: device, fixture)
        }
    }

    /// A worker that did not come back from it may not come back from it again.
    @Test func `is worked alone after a redrive if it was given up for its deliveries`() async throws {
        try await QueueFixture.with { fixture async throws in
            let submission = SubmissionMaker.submission(seed: 95)
            try await fixture.upload(submission)
            let queue = fixture.queue()
            _ = try await queue.settle([try await queue.claimOne().burying(.deliveriesExhausted)])
            #expect(try await queue.redrive(as: submission))
            #expect(try await queue.redrive(as: submission) == false, "it is no dead letter any more")
            let job = RedisArgument.string(fixture.keyspace.partition(of: submission.device).job(submission.id))
            #expect(try await fixture.redis("HGET", job, "suspect").string == "1")
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }
}
