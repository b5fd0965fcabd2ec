import CaptureModel
import CaptureQueue
import NIOCore
import RedisClient
import TestSupport
import Testing

@testable import RedisCaptureQueue

/// Whoever may hand captures off may write any text into a job, and publish any.
///
/// Compared as a Swift `String` most of these would take minutes.
@Suite("Fields of jobs that are expensive to compare", .timeLimit(.minutes(1)))
struct CostlyFieldsTests {
    private static let marks = CostlyText.bytes(600_000)
    private static let told = ["device": "01890000-0000-4000-8000-000000000002", "state": "retrying"]

    private let capture: CaptureID

    init() throws {
        capture = try #require(CaptureID("01890000-0000-7000-8000-000000000001"))
    }

    private func status(_ told: [String: String]) -> JobStatus? {
        let values = JobFields.status.map { name in
            told[name].map { RedisValue.bulk(ByteBuffer(string: $0)) } ?? .null
        }
        return JobFields(names: JobFields.status, values: values[...]).status(capture)
    }

    private func suspicion(_ text: String) -> Suspicion {
        JobFields(names: ["suspect"], values: [.bulk(ByteBuffer(string: text))]).suspicion
    }

    @Test(arguments: [
        "attempts", "reason", "received_at", "claimed_at", "settled_at", "next_attempt_at", "redriven",
    ])
    func `a field that can be no word, id or number counts as missing`(name: String) throws {
        let without = try #require(status(Self.told))
        #expect(status(Self.told.merging([name: "1\(Self.marks)"]) { $1 }) == without)
    }

    @Test(arguments: ["device", "state"])
    func `a job whose state or device can be none has no status`(name: String) {
        #expect(status(Self.told.merging([name: "a\(Self.marks)"]) { $1 }) == nil)
    }

    @Test func `a mark of a suspect that can be none is none`() {
        #expect(suspicion("1") == .grave && suspicion("few") == .slight)
        #expect(suspicion("1\(Self.marks)") == .clear)
    }

    @Test func `a fault is cut before anything compares it, and its reason is read by its bytes`() throws {
        let cut = try #require(status(Self.told.merging(["fault": "x: \(Self.marks)"]) { $1 })?.fault)
        #expect(cut.utf8.count <= RedisValue.shownBeyondASCIIBytesMax + "…".utf8.count)
        #expect(FaultText("\(Self.marks): x").reason == nil && FaultText("\(Self.marks)").reason == nil)
        let marked = FaultText("BUNDLE_CORRUPT: \u{301}x")
        #expect(marked.reason == .bundleCorrupt && Array(marked.fault.utf8) == Array("\u{301}x".utf8))
    }

    @Test func `a published message beyond ASCII tells of no change`() {
        let device = "01890000-0000-4000-8000-000000000002"
        func message(_ space: String) -> String {
            #"[{\#(space)"capture":"\#(capture)","device":"\#(device)","state":"verified"}]"#
        }
        #expect(StateChange.changes(in: message("")).map(\.capture) == [capture])
        #expect(StateChange.changes(in: message("é")).isEmpty)
        #expect(StateChange.changes(in: message(CostlyText.bytes(24_000))).isEmpty)
    }
}
