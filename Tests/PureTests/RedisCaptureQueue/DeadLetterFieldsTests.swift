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
        return try letter(of: "01890000-0000-7000-8000-000000000001", told, hasBytes: true)
    }

    private func letter(of id: String, _ told: [String: String], hasBytes: Bool) throws -> DeadLetter {
        let values = JobFields.dead.map { name in
            told[name].map { RedisValue.bulk(ByteBuffer(string: $0)) } ?? .null
        }
        let capture = try #require(CaptureID(id))
        let fields = JobFields(names: JobFields.dead, values: values[...])
        return try #require(
            fields.deadLetter(capture, diedAt: Timestamp(millisecondsSince1970: 1_800_000_000_000), hasBytes: hasBytes))
    }

    @Test(arguments: [nil, "redis"] as [String?])
    func `whether bytes are there is told of those in Redis`(store: String?) throws {
        let letter = try letter(bytesIn: store)
        #expect(letter.bundleStore?.description == store && letter.bytes == .kept && letter.photoBytes == 3)
    }

    /// Like one of a newer release, or of somebody who wrote the job by hand.
    @Test(arguments: ["filesystem", "tape-2", "Not A Name"])
    func `the name of another store is told as it is, known or not`(store: String) throws {
        let letter = try letter(bytesIn: store)
        #expect(letter.bundleStore?.description == store && letter.bytes == .unseen)
    }

    @Test func `bytes that no worker found may be there again in a store that the queue cannot look into`() throws {
        #expect(try letter(bytesIn: "filesystem", .bundleMissing).bytes == .notFound)
        #expect(try letter(bytesIn: "redis", .bundleMissing).bytes == .kept)
    }

    /// A worker has given the capture up, and has written no more than this.
    @Test func `of a lost job neither bytes nor sizes are known, and a time near to its receipt is told`() throws {
        var told = [
            "device": "01890000-0000-4000-8000-000000000002", "state": "failed", "reason": "INTERNAL",
            "claimed_at": "1700000000000", "settled_at": "1700000000009",
        ]
        // The beginning of an id of version 7 is its time.
        let letter = try letter(of: "018bcfe5-6800-7000-8000-000000000001", told, hasBytes: false)
        #expect(letter.bytes == .unknown && letter.bytes.areKept == nil && !letter.bytes.areMissing)
        #expect(letter.size == nil && letter.bundleStore == nil)
        #expect(letter.status.receivedAt == Timestamp(millisecondsSince1970: 0x018b_cfe5_6800))
        let other = "018bcfe5-6800-4000-8000-000000000001"
        #expect(
            try self.letter(of: other, told, hasBytes: false).status.receivedAt
                == Timestamp(millisecondsSince1970: 1_700_000_000_000))
        told["claimed_at"] = nil
        #expect(
            try self.letter(of: other, told, hasBytes: false).status.receivedAt
                == Timestamp(millisecondsSince1970: 1_700_000_000_009))
    }

    /// One without a reason would be another group's.
    @Test func `a reason of a newer release is told as one that is not known, as in the record`() throws {
        let told = [
            "device": "01890000-0000-4000-8000-000000000002", "state": "failed", "reason": "OF_A_NEWER_RELEASE",
        ]
        let letter = try letter(of: "01890000-0000-7000-8000-000000000001", told, hasBytes: true)
        #expect(letter.status.reason == .reasonUnknown)
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
