import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// As when `redis.url` comes to lead to another server: until the program looks whose it is, the calls are refused.
@Suite("A queue that has come to be another installation's", .timeLimit(.minutes(2)))
struct OtherInstallationTests {
    private let own = InstallationID(UUID())
    private let other = InstallationID(UUID())

    /// The queue of a program that has passed the check of its start.
    private func checkedQueue(_ consumer: String, _ fixture: QueueFixture) -> RedisCaptureQueue {
        let queue = fixture.queue(consumer)
        queue.require(own)
        return queue
    }

    private func keep(_ id: InstallationID, _ fixture: QueueFixture) async throws {
        try await fixture.redis("HSET", .string(fixture.keyspace[0].limits), "installation", .string("\(id)"))
    }

    @Test func `is not claimed from, and nothing is put into it`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 101)
            let captures = (0..<2).map { _ in maker.submission(of: maker.device()) }
            for capture in captures { try await fixture.upload(capture) }
            let theirs = fixture.queue("theirs")
            #expect(try await theirs.claimNow(1).count == 1)
            try await fixture.passTime()
            try await keep(other, fixture)
            let before = try await fixture.keys()

            let worker = checkedQueue("worker", fixture)
            let mark = RestorationMark.make(using: &maker.generator)
            let new = maker.submission(of: maker.device(), bundleStore: .filesystem)
            let lost = LostCapture(submission: new, isRedriven: false)
            let fault = await #expect(throws: QueueError.self) { _ = try await worker.claimNow() }
            #expect(fault?.code == .unavailable && fault?.isRefusal == true)
            #expect(fault?.message.contains("\(other)") == true)
            let refusal = QueueError(.unavailable, "")
            await #expect(throws: refusal) { _ = try await worker.takeOver() }
            await #expect(throws: refusal) { _ = try await worker.enqueue(new) }
            await #expect(throws: refusal) { _ = try await worker.beginRestoration(of: 0, mark: mark) }
            await #expect(throws: refusal) { _ = try await worker.restore([lost], in: 0, under: mark) }

            #expect(try await fixture.keys() == before)
            var states: [CaptureState?] = []
            for capture in captures { states.append(try await theirs.state(of: capture)) }
            #expect(states == [.processing, .queued])
            #expect(try await theirs.state(of: new) == nil)
        }
    }

    @Test func `is told from the program's own, and from one that has no id or has lost it`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 102)
            let queue = checkedQueue("worker", fixture)
            for id in [nil, own] {
                if let id { try await keep(id, fixture) }
                let capture = maker.submission(of: maker.device(), bundleStore: .filesystem)
                #expect(try await queue.enqueue(capture) == .accepted)
                _ = try await queue.settle([try await queue.claimOne().settling()])
            }
            #expect(try await queue.takeOver() == nil)
        }
    }

    /// Gateways that hand off name no installation: they belong to none.
    @Test func `takes what is handed off`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 103)
            try await keep(other, fixture)
            let call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
        }
    }

    /// As while a release is rolled out, and one of the release before has started last.
    @Test func `is not looked for by a library from before, and uploads wait until that is replaced`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 104)
            let current = FunctionLibrary.current.source
            let older = current.replacing("(#keys == 7 or #keys == 8)", with: "#keys == 7")
            #expect(older != current)
            try await fixture.upload(maker.submission(of: maker.device()))
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(older))
            let queue = checkedQueue("worker", fixture)
            let capture = maker.submission(of: maker.device(), bundleStore: .filesystem)
            await #expect(throws: QueueError(.unavailable, "")) { _ = try await queue.enqueue(capture) }
            _ = try await queue.claimOne()
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(current))
            #expect(try await queue.enqueue(capture) == .accepted)
        }
    }
}
