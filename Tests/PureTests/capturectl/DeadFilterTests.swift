import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import TestSupport
import Testing

@testable import capturectl

@Suite("Which dead letters are meant", .timeLimit(.minutes(1)))
struct DeadFilterTests {
    private func isMeant(_ fault: String, by words: String) throws -> Bool {
        var maker = SubmissionMaker(seed: 8)
        let device = maker.device()
        let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)
        var status = JobStatus(lost: maker.submission(of: device).id, of: device, receivedAt: moment)
        (status.state, status.fault) = (.failed, fault)
        let letter = DeadLetter(
            status: status, diedAt: moment, deliveries: 1, photoBytes: 1, depthBytes: 1, bundleStore: .redis,
            bytes: .kept)
        return try DeadFilter.parse(["--fault", words]).matches(letter)
    }

    @Test func `a fault is searched in either case, by its bytes`() throws {
        #expect(try isMeant("The Store is closed", by: "store IS"))
        #expect(try !isMeant("The Store is closed", by: "stores"))
        // As a Swift text it has no character `e`.
        #expect(try isMeant("caf\u{65}\u{301}", by: "cafe"))
        #expect(try isMeant("a\(CostlyText.bytes(600_000)) is closed", by: "closed"))
    }
}
