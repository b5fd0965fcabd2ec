import NIOCore
import RedisClient
import Testing

@testable import RedisCaptureQueue

@Suite("Ids of a stream's entries")
struct StreamIDTests {
    private func groups(_ name: String, lastDelivered id: String) -> RedisValue {
        let fields = ["name", name, "consumers", "2", "last-delivered-id", id]
        return .array([.array(fields.map { RedisValue.bulk(ByteBuffer(string: $0)) })])
    }

    @Test func `ids go by their milliseconds, then by their numbers, up to the largest of Redis`() throws {
        let texts = ["0-0", "0-1", "9-2", "9-10", "10-1", "9223372036854775808-0", "18446744073709551615-0"]
        let ids = try texts.map { try #require(StreamID($0), "\($0)") }
        #expect(ids == ids.shuffled().sorted())
    }

    @Test(arguments: ["", "1", "1-", "-1", "1-2-3", "x-1", "18446744073709551616-0"])
    func `what is no id is none`(text: String) {
        #expect(StreamID(text) == nil)
        #expect(StreamID.lastDelivered(in: groups("workers", lastDelivered: text)) == nil)
    }

    @Test func `what was delivered last is told by the queue's own group`() {
        let id = "18446744073709551615-7"
        #expect(StreamID.lastDelivered(in: groups("workers", lastDelivered: id)) == StreamID(id))
        #expect(StreamID.lastDelivered(in: groups("others", lastDelivered: id)) == nil)
        #expect(StreamID.lastDelivered(in: .null) == nil)
    }
}
