import NIOCore
import RedisClient
import TestSupport
import Testing

/// Compared as a Swift `String` each of the long ones would take minutes.
@Suite("Texts of Redis", .timeLimit(.minutes(1)))
struct RedisTextTests {
    private static let marks = CostlyText.bytes(600_000)

    private func bulk(_ text: String) -> RedisValue { .bulk(ByteBuffer(string: text)) }

    @Test func `a word, an id or a number is short or ASCII`() {
        let short = String(repeating: "é", count: RedisValue.wordBytesMax / 2)
        let long = String(repeating: "x", count: 100_000)
        for text in [short, long] {
            #expect(bulk(text).string == text && RedisValue.simple(text).string == text)
        }
        for text in [short + "x", "1\(Self.marks)"] {
            #expect(bulk(text).string == nil && RedisValue.simple(text).string == nil && bulk(text).int == nil)
        }
    }

    @Test func `a text that no writer of the queue can write is read whole`() {
        let long = String(repeating: "é", count: 5_000)
        #expect(bulk(long).wholeText == long && RedisValue.simple(long).wholeText == long)
        #expect(RedisValue.null.wholeText == nil && RedisValue.bulk(ByteBuffer(bytes: [0xFF])).wholeText == nil)
    }

    @Test func `a text is shown by its beginning, of which less is shown beyond ASCII`() {
        let most = RedisValue.shownBytesMax
        let fitting = String(repeating: "x", count: most)
        #expect(bulk(fitting).shown() == fitting && bulk(fitting + "x").shown() == fitting + "…")
        #expect(bulk(fitting + "é").shown() == fitting + "…")
        #expect(bulk("abcd").shown(bytesMax: 3) == "abc…" && bulk("aéé").shown(bytesMax: 4) == "aé…")
        let few = String(repeating: "€", count: 341)
        #expect(bulk(few).shown() == few && bulk(few + "€").shown() == few + "…")
        #expect(bulk(Self.marks).shown().map { $0.utf8.count } == RedisValue.shownBeyondASCIIBytesMax + "…".utf8.count)
        #expect(bulk("").shown() == "" && RedisValue.null.shown() == nil && RedisValue.integer(5).shown() == "5")
        #expect(RedisValue.bulk(ByteBuffer(bytes: [0xFF])).shown() == nil)
    }

    @Test func `an error line that quotes what somebody has written is cut`() {
        let error = RedisServerError("DAMAGED \(Self.marks)")
        #expect(error.prefix == "DAMAGED" && error.message.utf8.count <= RedisValue.shownBeyondASCIIBytesMax + 3)
        #expect(RedisServerError("\(Self.marks) x").prefix.utf8.count <= RedisValue.shownBeyondASCIIBytesMax + 3)
        #expect(!RedisError(error).isTransient)
    }
}
