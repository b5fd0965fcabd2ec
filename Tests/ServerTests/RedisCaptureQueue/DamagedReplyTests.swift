import CaptureModel
import CaptureQueue
import Foundation
import NIOCore
import RedisClient
import Synchronization
import TestSupport
import Testing

@testable import RedisCaptureQueue

/// No answer of a server ends a program, be its data damaged or another program's.
@Suite("Damaged answers of Redis", .timeLimit(.minutes(1)))
struct DamagedReplyTests {
    private static let largest = "$19\r\n9223372036854775807\r\n"
    /// More bytes beyond ASCII than a word has.
    private static let noWord = "$66\r\n\(String(repeating: "é", count: 33))\r\n"

    @Test(arguments: ["*1\r\n$4\r\ndead\r\n", "*2\r\n$4\r\ndead\r\n$1\r\na\r\n"])
    func `an answer with a dead letter that has no id is refused`(reply: String) async throws {
        try await with(["capture_takeover_v1": reply]) { queue async throws in
            await #expect(throws: QueueError(.malformedReply, "")) { _ = try await queue.takeOver() }
        }
    }

    /// It does not say that another worker has the lane.
    @Test func `an answer about a lane that no release knows is a fault of that lane`() async throws {
        try await with(["capture_settle_v1": "*1\r\n$3\r\nnew\r\n"]) { queue async throws in
            let settlement = LaneSettlement(
                token: LaneToken(text: "1-0#1", partition: 0), device: DeviceID(UUID()), items: [],
                continuation: .ready)
            #expect(try await queue.settle([settlement]) == [.failed(QueueError(.malformedReply, ""))])
        }
    }

    @Test(arguments: [
        "*2\r\n\(largest)$1\r\n0\r\n", "*2\r\n$20\r\n-9223372036854775808\r\n$1\r\n0\r\n",
        "*2\r\n$13\r\n9223372036854\r\n\(largest)", "*1\r\n$1\r\n0\r\n",
    ])
    func `an answer with a time that is none is refused`(reply: String) async throws {
        try await with(["TIME": reply]) { queue async throws in
            await #expect(throws: QueueError(.malformedReply, "")) { _ = try await queue.serverTime() }
        }
    }

    @Test func `a counter that is damaged in every partition stays at the limit`() async throws {
        let fields = "*4\r\n$6\r\nqueued\r\n\(Self.largest)$6\r\nfailed\r\n$1\r\n2\r\n"
        try await with(["HGETALL": fields], partitions: 4) { queue async throws in
            #expect(try await queue.counters() == ["queued": Int.max, "failed": 8])
        }
    }

    @Test func `a span's number that is damaged is passed over, and the spans have a sum`() async throws {
        let time = "*2\r\n$10\r\n1800000000\r\n$1\r\n0\r\n"
        let names = ["accepted", "verified", "reason:COUNTER_REPLAY", "latency:1"]
        let damaged = names.map { "$\($0.utf8.count)\r\n\($0)\r\n\(Self.largest)" }.joined()
        let fields = "*10\r\n\(damaged)$8\r\nrejected\r\n$1\r\n3\r\n"
        try await with(["TIME": time, "HGETALL": fields], partitions: 2) { queue async throws in
            let sum = try #require(Tally.sum(try await queue.tallies(.minute, count: 61)))
            #expect(sum.accepted == 0 && sum.settled == 61 * 2 * 3 && sum.reasons == [:])
            #expect(sum.latencies.quantile(0.5) == nil)
        }
    }

    @Test func `lanes whose number is damaged are counted up to the limit`() async throws {
        let many = ":9223372036854775807\r\n"
        // A lane in each partition whose delay is over.
        let looks = ["ZRANGE": "*2\r\n$1\r\nd\r\n$1\r\n0\r\n", "TIME": "*2\r\n$10\r\n1800000000\r\n$1\r\n0\r\n"]
        let replies = looks.merging(["capture_promote_v1": many, "capture_leave_v1": many]) { $1 }
        try await with(replies, partitions: 2) { queue async throws in
            #expect(try await queue.promote() == .max)
            #expect(try await queue.leave() == .max)
        }
    }

    @Test func `a load that is damaged in every partition stays at the limits, and the queue is full`() async throws {
        let figures = String(repeating: Self.largest, count: 8) + ":0\r\n:-1\r\n"
        try await with(["capture_load_v1": "*10\r\n\(figures)"], partitions: 2) { queue async throws in
            var load = try await queue.load()
            #expect([load.captures, load.bytes, load.deadLetters, load.bytesMax].allSatisfy { $0 == .max })
            #expect([load.readyLanes, load.delayedLanes, load.leasedLanes].allSatisfy { $0 == .max })
            (load.captures, load.bytesMax) = (0, 4 << 30)
            #expect(load.isFull(adding: 1))
        }
    }

    @Test func `captures whose number is damaged are counted up to the limit`() async throws {
        let replies = ["HGET": Self.largest, "ZCARD": ":9223372036854775807\r\n"]
        try await with(replies, partitions: 2) { queue async throws in
            #expect(try await QueueInstallation.captures(queue.keyspace, on: queue.functions.client) == .max)
        }
    }

    /// If it counted as missing, the reconciler would put the capture back that is there.
    @Test func `a job whose state is no word at all is known`() async throws {
        var maker = SubmissionMaker(seed: 160)
        let device = maker.device()
        let capture = maker.submission(of: device).id
        // Each of the two questions names the capture once.
        try await with(["\(capture)": Self.noWord]) { queue async throws in
            #expect(try await queue.presence(of: [(capture, device)]) == [.known])
        }
    }

    @Test func `a kept id that is no word at all is no id, and does not count as missing`() async throws {
        try await with(["HGET": Self.noWord]) { queue async throws in
            await #expect(throws: QueueError(.refused, "")) {
                _ = try await QueueInstallation.field.read(queue.keyspace, on: queue.functions.client)
            }
        }
    }

    @Test(arguments: ["9223372036854775807", "268435457", "-1", "many"])
    func `a job whose number of bytes is damaged is malformed, and its dead letter tells no size`(size: String) throws {
        let capture = try #require(CaptureID("01890000-0000-7000-8000-000000000001"))
        let digest = SHA256Digest.hash([1]).hex
        #expect(BundleText("\(digest) 268435456 0 86400000 redis")?.photoBytes == 268_435_456)
        #expect(BundleText("\(digest) \(size) 0 86400000 redis") == nil)
        #expect(BundleText("\(digest) 0 \(size) 86400000 redis") == nil)
        let texts = [
            "device": "01890000-0000-7000-8000-000000000002", "state": "failed", "photo_bytes": size,
            "depth_bytes": size,
        ]
        let fields = JobFields(names: Array(texts.keys), values: texts.values.map { RedisValue.simple($0) }[...])
        let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        let letter = try #require(fields.deadLetter(capture, diedAt: now, hasBytes: true))
        #expect(letter.photoBytes == nil && letter.depthBytes == nil && letter.size == nil)
    }

    @Test(arguments: ["9223372036854774784", "1000000000000000", "-1", "many", ""])
    func `a job is malformed whose bundle would stay known for a time that no command takes`(lifetime: String) {
        let digest = SHA256Digest.hash([1]).hex
        #expect(BundleText("\(digest) 1 1 999999999999999 redis") != nil)
        #expect(BundleText("\(digest) 1 1 \(lifetime) redis") == nil)
    }

    @Test(arguments: [(Int.max, 1, Int.max), (Int.min, -1, Int.min), (Int.max, Int.min, -1), (2, 3, 5)])
    func `a sum stays at the limits`(left: Int, right: Int, sum: Int) {
        #expect(left.addingClamped(right) == sum)
    }

    /// Lends a queue whose server answers as it is told to, by what the command has in it.
    private func with(
        _ replies: [String: String], partitions: Int = 1, _ body: (RedisCaptureQueue) async throws -> Void
    ) async throws {
        let keyspace = try #require(Keyspace(partitions: partitions))
        let script = Script(replies)
        try await FakeRedis.with {
            script.answer($0)
        } _: { server in
            try await RedisFixture.withClient(server.url) { client in
                try await body(
                    RedisCaptureQueue(client: client, keyspace: keyspace, consumer: "worker", logger: .quiet))
            }
        }
    }

    /// Answers every command once, however the bytes of several are divided.
    private final class Script: Sendable {
        private struct State {
            var heard = ""
            var answered: [String: Int] = [:]
        }

        private let replies: [String: String]
        private let state = Mutex(State())

        init(_ replies: [String: String]) {
            self.replies = replies
        }

        func answer(_ request: ByteBuffer) -> ByteBuffer {
            state.withLock { state in
                state.heard += String(buffer: request)
                var answer = ""
                for (command, reply) in replies {
                    let count = state.heard.components(separatedBy: command).count - 1
                    answer += String(repeating: reply, count: count - state.answered[command, default: 0])
                    state.answered[command] = count
                }
                return ByteBuffer(string: answer)
            }
        }
    }
}
