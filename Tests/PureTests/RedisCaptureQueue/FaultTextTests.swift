import CaptureModel
import NIOCore
import RedisClient
import Testing

@testable import RedisCaptureQueue

@Suite("The fault of a capture as Redis has it")
struct FaultTextTests {
    private func status(_ state: CaptureState, _ told: [String: String]) throws -> JobStatus {
        var told = told
        told["device"] = "01890000-0000-4000-8000-000000000002"
        told["state"] = state.rawValue
        let values = JobFields.status.map { name in
            told[name].map { RedisValue.bulk(ByteBuffer(string: $0)) } ?? .null
        }
        let capture = try #require(CaptureID("01890000-0000-7000-8000-000000000001"))
        return try #require(JobFields(names: JobFields.status, values: values[...]).status(capture))
    }

    @Test(
        arguments: [
            (Reason.bundleCorrupt, "changed: 2", "BUNDLE_CORRUPT: changed: 2"),
            (nil, "store conflict: a: b", "store conflict: a: b"), (nil, "READONLY: a: b", "READONLY: a: b"),
            (nil, "BUNDLE_CORRUPT:2", "BUNDLE_CORRUPT:2"), (nil, "", ""),
        ] as [(Reason?, String, String)])
    func `the fault of a capture is one text, which is read as it was written`(
        reason: Reason?, fault: String, text: String
    ) {
        #expect(FaultText(reason: reason, fault: fault).text == text)
        #expect(FaultText(text) == FaultText(reason: reason, fault: fault))
    }

    @Test func `a capture's fault is told without its reason, which a status tells beside it while it is put off`()
        throws
    {
        let putOff = try status(.retrying, ["fault": "BUNDLE_CORRUPT: changed: 2"])
        #expect(putOff.reason == .bundleCorrupt && putOff.fault == "changed: 2")
        for state in [CaptureState.processing, .queued] {
            let later = try status(state, ["fault": "BUNDLE_CORRUPT: changed: 2"])
            #expect(later.reason == nil && later.fault == "changed: 2", "\(state)")
        }
    }

    @Test func `the fault of a dead letter is told as it is`() throws {
        let dead = try status(.failed, ["reason": "INTERNAL", "fault": "BUNDLE_CORRUPT: of its own"])
        #expect(dead.reason == .internal && dead.fault == "BUNDLE_CORRUPT: of its own")
    }
}
