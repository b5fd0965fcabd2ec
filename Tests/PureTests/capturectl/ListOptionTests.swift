import ArgumentParser
import Testing

@testable import capturectl

@Suite("Options of lists")
struct ListOptionTests {
    private static let device = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    @Test func `a value that begins with a hyphen is told for what it is, and not as none`() {
        #expect(LimitOption.refusal(of: ["--limit", "-1"]) == "--limit takes 1 to 500")
        #expect(DeadListCommand.refusal(of: ["--limit", "-1"]) == "--limit takes 1 to 10000")
        let place = "--after takes a place as a list names it, not '-1'"
        #expect(DeadListCommand.refusal(of: ["--after", "-1"]) == place)
        #expect(CapturesListCommand.refusal(of: ["--after", "-1"]) == place)
        #expect(DevicesListCommand.refusal(of: ["--after", "-1"]) == "--after takes a device's id, not '-1'")
        #expect(InvitationsListCommand.refusal(of: ["--after", "-1"]).hasPrefix("--after takes an invitation's id"))
        let affected = DevicesAffectedCommand.refusal(of: [Self.device, "--after", "-1"])
        #expect(affected.contains("'-1' is invalid for '--after"), "\(affected)")
    }

    @Test(arguments: [("--limit", "3"), ("--after", "1780000000000:0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21")])
    func `a part of a list is not asked for where all of it is counted`(option: String, value: String) {
        let refusal = DeadListCommand.refusal(of: ["--group", option, value])
        #expect(refusal == "--group counts all of them: it does not go with \(option)")
    }
}
