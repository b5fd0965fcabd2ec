import CaptureModel
import CaptureQueue
import NIOCore
import RedisClient
import Testing

@testable import RedisCaptureQueue

@Suite("Dead letters as Redis has them")
struct DeadLetterFieldsTests {
    private func letter(
        bytesIn store: String?, _ reason: Reason = .attemptsExhausted, fault: String? = nil
    ) throws -> DeadLetter {
        var told = ["device": "01890000-0000-4000-8000-000000000002", "state": "failed", "photo_bytes": "3"]
        told["bundle_store"] = store
        told["reason"] = reason.rawValue
        told["fault"] = fault
        let values = JobFields.dead.map { name in
            told[name].map { RedisValue.bulk(ByteBuffer(string: $0)) } ?? .null
        }
        let capture = try #require(CaptureID("01890000-0000-7000-8000-000000000001"))
        let fields = JobFields(names: JobFields.dead, values: values[...])
        return try #require(
            fields.deadLetter(capture, diedAt: Timestamp(millisecondsSince1970: 1_800_000_000_000), hasBytes: true))
    }

    @Test(arguments: [nil, "redis"] as [String?])
    func `whether bytes are there is told of those in Redis`(store: String?) throws {
        let letter = try letter(bytesIn: store)
        #expect(letter.bundleStore?.description == store && letter.bytes == .kept && letter.photoBytes == 3)
    }

    /// As of a newer release, or of whoever wrote the job by hand.
    @Test(arguments: ["filesystem", "tape-2", "Not A Name"])
    func `the name of another store is told as it is, known or not`(store: String) throws {
        let letter = try letter(bytesIn: store)
        #expect(letter.bundleStore?.description == store && letter.bytes == .unseen)
    }

    @Test func `bytes that no worker found may be there again in a store that the queue cannot look into`() throws {
        #expect(try letter(bytesIn: "filesystem", .bundleMissing).bytes == .notFound)
        #expect(try letter(bytesIn: "redis", .bundleMissing).bytes == .kept)
    }

    /// To write 1 MB of it into an answer takes seconds, and a page has hundreds of letters.
    @Test func `a text that is too long is shown by its beginning, up to a whole character`() throws {
        let fitting = String(repeating: "x", count: RedisValue.shownBytesMax)
        #expect(try letter(bytesIn: nil, fault: fitting).status.fault == fitting)
        #expect(try letter(bytesIn: nil, fault: fitting + "x").status.fault == fitting + "…")
        let long = try letter(bytesIn: fitting, fault: String(repeating: "€", count: 1 << 20))
        #expect(long.status.fault == String(repeating: "€", count: RedisValue.shownBeyondASCIIBytesMax / 3) + "…")
        // It is another store than Redis, and does not count as one that is not told.
        #expect(long.bundleStore?.description == String(repeating: "x", count: 64) + "…" && long.bytes == .unseen)
    }
}
