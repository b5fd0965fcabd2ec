import CaptureModel
import CaptureQueue
import Foundation
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What programs of the last release read, while those of the next one are started one by one.
///
/// A change that these tests show needs a function of a new name beside the old one, or a second reader of what lies in
/// Redis already.
@Suite(.timeLimit(.minutes(2)))
struct RecordedLayoutTests {
    /// A minute ago, in whole milliseconds.
    private static let receivedAt = Timestamp(millisecondsSince1970: Timestamp(Date()).millisecondsSince1970 - 60_123)
    private static let receivedText = "\(receivedAt.millisecondsSince1970)"

    /// A capture with a device, and both as texts.
    private func submission() -> CaptureSubmission {
        var maker = SubmissionMaker(seed: 21)
        return maker.submission(
            of: maker.device(), receivedAt: Self.receivedAt,
            traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    }

    /// A reply with its arrays in brackets.
    private func text(_ value: RedisValue) -> String {
        if let values = value.array { return "[" + values.map(text).joined(separator: ", ") + "]" }
        if let buffer = value.buffer { return String(decoding: buffer.readableBytesView, as: UTF8.self) }
        return value.string ?? "nil"
    }

    @Test func `a claim answers a lane with its captures, each with its two texts`() async throws {
        try await QueueFixture.with { fixture in
            let capture = submission()
            try await fixture.upload(capture)
            let keys = fixture.keyspace[0]
            let reply = try #require(
                try await fixture.redis("FCALL", "capture_claim_v1", 1, .string(keys.ready), "worker", 4, 1).array)
            #expect(reply.count == 3 && reply[0].string == "claimed" && reply[1].int != nil)
            let lane = try #require(reply[2].array)
            let lease = try #require(lane.first?.string)
            #expect(lease.hasSuffix("#1"))
            let bundle = "\(capture.bundleDigest) 3 2 86400000 redis"
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            let line = "\(capture.device) concat-v1 \(capture.photoDigest) \(capture.depthDigest) \(trace) 3"
            let assertion = String(decoding: [0xA2, 0x00, 0xFF] as [UInt8], as: UTF8.self)
            #expect(
                text(.array(Array(lane.dropFirst()))) == """
                    [\(capture.device), 1, [\(capture.id), \(line)
                    \(assertion){}, \(bundle), \(Self.receivedText), nil, nil, 1]]
                    """)
        }
    }

    @Test func `a settled capture is one text`() async throws {
        try await QueueFixture.with { fixture in
            let capture = submission()
            try await fixture.upload(capture)
            let lease = try await fixture.queue().claimOne()
            _ = try await fixture.queue().settle([lease.settling(as: .rejected(.counterStale))])
            let key = "{\(fixture.keyspace.queue):0}:settled:\(capture.id)"
            let words = try #require(try await fixture.redis("GET", .string(key)).string).split(separator: " ")
            #expect(words.count == 8)
            #expect(
                words.prefix(5).joined(separator: " ")
                    == "\(capture.device) rejected COUNTER_STALE 1 \(Self.receivedText)")
            #expect(words[7] == "-")
        }
    }

    @Test func `the doctor is told of a capture with the lane in which it should be`() async throws {
        try await QueueFixture.with { fixture in
            let capture = submission()
            try await fixture.upload(capture)
            let (ready, id) = (RedisArgument.string(fixture.keyspace[0].ready), RedisArgument.string("\(capture.id)"))
            let device = RedisArgument.string("\(capture.device)")
            let apart = try await fixture.redis("FCALL", "capture_examine_capture_v1", 1, ready, id)
            #expect(text(apart) == "[queued, 5, \(capture.device)]")
            let ofLane = try await fixture.redis("FCALL", "capture_examine_lane_captures_v1", 1, ready, device, id, id)
            #expect(text(ofLane) == "[[queued, 5], [queued, 5]]")
        }
    }

    @Test func `a dead letter is answered with what is known of it and its bytes`() async throws {
        try await QueueFixture.with { fixture in
            let capture = submission()
            try await fixture.upload(capture)
            let lease = try await fixture.queue().claimOne()
            _ = try await fixture.queue().settle([lease.burying()])
            let keys = fixture.keyspace[0]
            let reply = try await fixture.redis(
                "FCALL", "capture_dead_letter_v1", 1, .string(keys.ready), .string(capture.id.description))
            let letter = try #require(reply.array).map(text)
            try #require(letter.count == 17)
            #expect(letter[0] == capture.id.description && letter[2] == "1")
            #expect(
                letter[3...8].joined(separator: " ")
                    == "\(capture.device) failed 1 INTERNAL test \(Self.receivedText)")
            // When it was claimed and buried is between.
            #expect(letter[11...].joined(separator: " ") == "nil nil 1 3 2 redis")
        }
    }
}
