import ArgumentParser
import CaptureModel
import CaptureOperations
import Foundation
import Testing

@testable import capturectl

@Suite("Where a page of captures ends")
struct CapturesPageEndTests {
    private func text(_ captures: [ListedCapture], cutAfter: Int?) -> String {
        CapturesPage(captures: captures, isFirst: true, next: "place", cutAfter: cutAfter)
            .text(now: Timestamp(microsecondsSince1970: 7), on: Terminal(columns: nil, isTinted: false))
    }

    @Test func `a page of captures that is not full says how many were looked at`() {
        let capture = ListedCapture(
            id: CaptureID(UUID()), device: DeviceID(UUID()), receivedAt: Timestamp(microsecondsSince1970: 7),
            state: .retrying, reason: .bundleCorrupt, fault: nil, attempts: 1, isRedriven: false, result: nil)
        #expect(text([], cutAfter: 2_000) == "none among the 2000 looked at\n\nmore: --after place")
        #expect(text([capture], cutAfter: 2_000).hasSuffix("\n\nonly 2000 were looked at\n\nmore: --after place"))
        #expect(!text([capture], cutAfter: nil).contains("looked at"))
    }

    @Test(
        arguments: [
            (["retrying"], true), (["queued", "processing", "retrying"], true), (["verified", "queued"], true),
            (["open"], false), (["rejected"], false), ([], false),
        ] as [([String], Bool)])
    func `captures are looked through where some of those without a result are asked for`(
        states: [String], isOfSomeOpen: Bool
    ) throws {
        let command = try CapturesListCommand.parse(states.flatMap { ["--state", $0] })
        #expect(command.isOfSomeOpen == isOfSomeOpen)
    }
}
