import CaptureModel
import CaptureQueue
import Foundation
import Logging
import NIOCore
import NIOPosix
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Enqueuing that waits for replicas, on a primary and replicas that are real.
@Suite("A capture is accepted when replicas have it", .timeLimit(.minutes(2)))
struct ReplicatedCallsTests {
    /// Lends a queue that waits for all replicas, of which there is one by default, and the first of them.
    private func with(
        replicas count: Int = 1, wait: Duration = .seconds(20), backlogMax: Int = 1_024,
        installsFunctions: Bool = true,
        _ body: (QueueFixture, RedisCaptureQueue, PrivateRedis) async throws -> Void
    ) async throws {
        let primary = try await PrivateRedis.start(tcp: true)
        let replica = try await primary.replica()
        var others: [PrivateRedis] = []
        for _ in 1..<count { others.append(try await primary.replica()) }
        defer { withExtendedLifetime(others) {} }
        try await QueueFixture.with(primary) { fixture in
            let own = RedisClient(
                configuration: try RedisConfiguration.patient(primary.url),
                eventLoopGroup: .singletonMultiThreadedEventLoopGroup, logger: fixture.logger)
            let running = Task { try await own.run() }
            defer { running.cancel() }
            let queue = RedisCaptureQueue(
                client: fixture.client, keyspace: fixture.keyspace, consumer: "gateway",
                replication: Replication(client: own, replicas: count, wait: wait, backlogMax: backlogMax),
                installsFunctions: installsFunctions, logger: fixture.logger)
            try await body(fixture, queue, replica)
            running.cancel()
            try await running.value
        }
    }

    private func store(_ submission: CaptureSubmission, _ fixture: QueueFixture) async throws {
        let media = CaptureMedia(
            photo: .init(repeating: 1, count: submission.photoBytes),
            depth: .init(repeating: 2, count: submission.depthBytes))
        try await fixture.bundles.put(media, of: submission)
    }

    @Test func `the replica that counted has capture and bytes, stored on another connection`() async throws {
        try await with { fixture, queue, replica in
            var maker = SubmissionMaker(seed: 1)
            for _ in 0..<20 {
                let capture = maker.submission(of: maker.device(), photoBytes: 200_000)
                try await store(capture, fixture)
                #expect(try await queue.enqueue(capture) == .accepted)
                let keys = fixture.keyspace.partition(of: capture.device)
                #expect(try await replica.cli("EXISTS", keys.job(capture.id), keys.photo(capture.id)) == "2")
            }
        }
    }

    @Test func `too few replicas is what it is called, for a duplicate as well, and calls share the wait`()
        async throws
    {
        try await with(wait: .seconds(5)) { fixture, queue, replica in
            var maker = SubmissionMaker(seed: 2)
            let captures = (0..<20).map { _ in maker.submission(of: maker.device()) }
            for capture in captures { try await store(capture, fixture) }
            replica.signal(SIGSTOP)
            let faults = await enqueueAll(captures, in: queue)
            // On a busy machine some may have waited for too long when the first answer has come.
            let codes = faults.map { $0?.code }
            let (unsent, short) = (codes.filter { $0 == .busy }.count, codes.filter { $0 == .tooFewReplicas }.count)
            #expect(short == captures.count - unsent, "\(faults)")
            #expect(try await queue.load().captures == captures.count - unsent)
            #expect((1...3).contains(try await waits(fixture)))
            let states = try await queue.status(of: captures.map(\.id))
            let sent = try #require(zip(captures, states).first { $0.1 != nil }).0
            let again = maker.submission(of: sent.device, digest: sent.bundleDigest)
            // The first one may be lost with the server; of this one nothing was kept, and its bytes are not to stay.
            await #expect(throws: QueueError(.busy, "")) { try await queue.enqueue(again) }
            await #expect(throws: QueueError(.tooFewReplicas, "")) { try await queue.enqueue(sent) }
            replica.signal(SIGCONT)
            // On a busy machine it may take the replica longer to catch up than one call waits.
            try await eventually { (try? await queue.enqueue(again)) == .duplicate(of: sent.id) }
            // The same call again.
            try await eventually { (try? await queue.enqueue(sent)) == .accepted }
        }
    }

    @Test func `of two replicas that are asked for, one is too few`() async throws {
        try await with(replicas: 2, wait: .seconds(10)) { fixture, queue, replica in
            let captures = SubmissionMaker.submissions(6, seed: 10)
            for capture in captures { try await store(capture, fixture) }
            for capture in captures.dropLast() { #expect(try await queue.enqueue(capture) == .accepted) }
            replica.signal(SIGSTOP)
            let short = await fault(of: captures[5], in: queue)
            #expect(short?.code == .tooFewReplicas && short?.message == "1 of 2 replicas have it in time")
            replica.signal(SIGCONT)
            try await eventually { (try? await queue.enqueue(captures[5])) == .accepted }
        }
    }

    @Test func `a full queue is full, whatever the replicas have`() async throws {
        try await with(wait: .milliseconds(50)) { fixture, queue, replica in
            let captures = SubmissionMaker.submissions(2, seed: 7)
            for capture in captures { try await store(capture, fixture) }
            try await eventually { (try? await queue.enqueue(captures[0])) == .accepted }
            try await fixture.redis("HSET", .string(fixture.keyspace[0].limits), "captures_max", 1)
            replica.signal(SIGSTOP)
            #expect(try await queue.enqueue(captures[1]) == .full)
            replica.signal(SIGCONT)
        }
    }

    /// As a server does that is made a replica meanwhile.
    @Test func `a wait that ends with an error is an unknown outcome: the capture is in the queue`() async throws {
        try await with { fixture, queue, replica in
            let capture = SubmissionMaker.submission(seed: 6)
            try await store(capture, fixture)
            replica.signal(SIGSTOP)
            let faults = Task { await enqueueAll([capture], in: queue) }
            try await eventually { try await unblock(fixture) }
            #expect(await faults.value.map(\.?.code) == [.outcomeUnknown])
            #expect(try await queue.status(of: [capture.id])[0] != nil)
            replica.signal(SIGCONT)
        }
    }

    /// Ends the `WAIT` of whoever waits, with an error; `false` when nobody does.
    private func unblock(_ fixture: QueueFixture) async throws -> Bool {
        let clients = try await fixture.redis("CLIENT", "LIST").string ?? ""
        let waiting = clients.split(whereSeparator: \.isNewline).first { $0.contains(" cmd=wait ") }
        guard let id = waiting?.split(separator: " ").first?.dropFirst("id=".count) else { return false }
        return try await fixture.redis("CLIENT", "UNBLOCK", .string(String(id)), "ERROR").int == 1
    }

    /// Enqueues all at once; the fault of each, in no order.
    private func enqueueAll(
        _ captures: [CaptureSubmission], in queue: RedisCaptureQueue
    ) async -> [QueueError?] {
        await withTaskGroup(of: QueueError?.self) { group in
            for capture in captures { group.addTask { await fault(of: capture, in: queue) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Why a capture is not accepted; `nil` when it is.
    private func fault(of capture: CaptureSubmission, in queue: RedisCaptureQueue) async -> QueueError? {
        do throws(QueueError) {
            _ = try await queue.enqueue(capture)
            return nil
        } catch {
            return error
        }
    }

    /// How often the server was asked to wait for replicas.
    private func waits(_ fixture: QueueFixture) async throws -> Int {
        let statistics = try await fixture.redis("INFO", "commandstats").string ?? ""
        let prefix = "cmdstat_wait:calls="
        let line = statistics.split(whereSeparator: \.isNewline).first { $0.hasPrefix(prefix) }
        return line.flatMap { Int($0.dropFirst(prefix.count).prefix { $0.isNumber }) } ?? 0
    }

    @Test func `behind a replica that hangs, calls that wait for too long are never sent, and say so`() async throws {
        try await with(wait: .seconds(3)) { fixture, queue, replica in
            let captures = SubmissionMaker.submissions(200, seed: 5)
            for capture in captures { try await store(capture, fixture) }
            replica.signal(SIGSTOP)
            let faults = await enqueueAll(captures, in: queue)
            let unsent = faults.count { $0?.code == .busy }
            #expect(unsent > 0 && faults.count { $0?.code == .tooFewReplicas } == captures.count - unsent)
            #expect(try await queue.load().captures == captures.count - unsent)
            replica.signal(SIGCONT)
        }
    }

    @Test func `the call after the last place is refused unsent, and those that have one are answered`() async throws {
        try await with(backlogMax: 2) { fixture, queue, replica in
            let captures = SubmissionMaker.submissions(5, seed: 8)
            for capture in captures { try await store(capture, fixture) }
            replica.signal(SIGSTOP)
            let first = Task { try await queue.enqueue(captures[0]) }
            // It waits for the replica, and the others for it.
            try await eventually { try await queue.status(of: [captures[0].id])[0] != nil }
            let faults = await withTaskGroup(of: QueueError?.self) { group in
                for capture in captures.dropFirst() { group.addTask { await fault(of: capture, in: queue) } }
                var answers: [QueueError?] = []
                for await answer in group {
                    answers.append(answer)
                    if answers.count == 2 { replica.signal(SIGCONT) }
                }
                return answers
            }
            #expect(faults.map(\.?.code) == [.busy, .busy, nil, nil])
            #expect(try await first.value == .accepted)
            #expect(try await queue.load().captures == 3)
        }
    }

    @Test func `a cancelled upload takes no other with it`() async throws {
        try await with { fixture, queue, replica in
            var maker = SubmissionMaker(seed: 3)
            let (first, second) = (maker.submission(of: maker.device()), maker.submission(of: maker.device()))
            for capture in [first, second] { try await store(capture, fixture) }
            replica.signal(SIGSTOP)
            let cancelled = Task { try await queue.enqueue(first) }
            try await eventually { try await queue.status(of: [first.id])[0] != nil }
            let other = Task { try await queue.enqueue(second) }
            cancelled.cancel()
            replica.signal(SIGCONT)
            #expect(try await other.value == .accepted)
            _ = await cancelled.result
        }
    }

    @Test func `functions that are missing are loaded and the calls made again`() async throws {
        try await with { fixture, queue, _ in
            let capture = SubmissionMaker.submission(seed: 4)
            try await store(capture, fixture)
            try await fixture.redis("FUNCTION", "FLUSH")
            #expect(try await queue.enqueue(capture) == .accepted)
        }
    }

    @Test func `functions that are missing are not loaded by a queue that may not load them`() async throws {
        try await with(installsFunctions: false) { fixture, queue, _ in
            let capture = SubmissionMaker.submission(seed: 9)
            try await store(capture, fixture)
            try await fixture.redis("FUNCTION", "FLUSH")
            await #expect(throws: QueueError(.refused, "")) { try await queue.enqueue(capture) }
            #expect(try await fixture.redis("FUNCTION", "LIST").array?.isEmpty == true)
        }
    }
}
