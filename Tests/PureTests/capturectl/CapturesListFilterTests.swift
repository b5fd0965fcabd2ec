import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import Foundation
import Testing

@testable import capturectl

@Suite("The reason in a list of captures")
struct CapturesListFilterTests {
    private func capture(_ state: CaptureState, _ reason: Reason?) -> ListedCapture {
        ListedCapture(
            id: CaptureID(UUID()), device: DeviceID(UUID()), receivedAt: Timestamp(microsecondsSince1970: 7),
            state: state, reason: reason, fault: nil, attempts: 1, isRedriven: false, result: nil)
    }

    @Test func `captures that are put off are listed by the reason for which they are`() throws {
        let words = ["--state", "retrying", "--reason", "bundle_missing", "--reason", "INTERNAL"]
        let command = try CapturesListCommand.parse(words)
        let filter = try command.filter()
        // The record does not know the reason, and would find none of them by it.
        #expect(filter.reasons.isEmpty && filter.meansOpen && filter.verdicts.isEmpty)
        let passes = try command.passes()
        for reason in [Reason.bundleMissing, .internal] { #expect(passes(capture(.retrying, reason))) }
        #expect(!passes(capture(.retrying, .attemptsExhausted)) && !passes(capture(.retrying, nil)))
        #expect(!passes(capture(.queued, .bundleMissing)) && !passes(capture(.failed, .bundleMissing)))
    }

    @Test func `all captures that are put off are listed without a reason`() throws {
        let passes = try CapturesListCommand.parse(["--state", "retrying"]).passes()
        #expect(passes(capture(.retrying, nil)) && passes(capture(.retrying, .bundleMissing)))
        #expect(!passes(capture(.queued, nil)))
    }

    @Test func `a reason for which no capture is put off is refused with those for which one is`() {
        let refusal = CapturesListCommand.refusal(of: ["--state", "retrying", "--reason", "COUNTER_REPLAY"])
        #expect(refusal.hasPrefix("--reason: no capture is put off for COUNTER_REPLAY; with retrying: "), "\(refusal)")
        for reason in Reason.ofDeadLetters { #expect(refusal.contains(reason.rawValue), "\(refusal)") }
    }

    @Test(arguments: [[], ["--state", "open"], ["--state", "retrying", "--state", "rejected"]])
    func `whoever asks for a reason of captures that are put off is told how to`(states: [String]) {
        let refusal = CapturesListCommand.refusal(of: states + ["--reason", "BUNDLE_MISSING"])
        let options = "--state retrying --reason BUNDLE_MISSING"
        #expect(refusal.contains("capturectl captures list \(options)"), "\(refusal)")
        #expect(refusal.contains("capturectl dead list --reason BUNDLE_MISSING"), "\(refusal)")
    }

    @Test func `captures that are put off have no confidence`() {
        let words = ["--state", "retrying", "--reason", "BUNDLE_MISSING", "--confidence", "low"]
        #expect(CapturesListCommand.refusal(of: words).hasPrefix("no capture can be all of that: "))
    }
}
