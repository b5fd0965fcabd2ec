import ArgumentParser
import Testing

@testable import capturectl

@Suite("A value that begins with a hyphen")
struct ListOptionTests {
    private static let device = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    private func refusal<Options: ParsableArguments>(_ type: Options.Type, _ arguments: [String]) -> String {
        do {
            _ = try Options.parse(arguments)
            return "taken"
        } catch {
            return Options.message(for: error)
        }
    }

    @Test func `a value that begins with a hyphen is told for what it is, and not as none`() {
        #expect(refusal(LimitOption.self, ["--limit", "-1"]) == "--limit takes 1 to 500")
        #expect(refusal(DeadListCommand.self, ["--limit", "-1"]) == "--limit takes 1 to 10000")
        let place = "--after takes a place as a list names it, not '-1'"
        #expect(refusal(DeadListCommand.self, ["--after", "-1"]) == place)
        #expect(refusal(CapturesListCommand.self, ["--after", "-1"]) == place)
        #expect(refusal(DevicesListCommand.self, ["--after", "-1"]) == "--after takes a device's id, not '-1'")
        #expect(refusal(InvitationsListCommand.self, ["--after", "-1"]).hasPrefix("--after takes an invitation's id"))
        let affected = refusal(DevicesAffectedCommand.self, [Self.device, "--after", "-1"])
        #expect(affected.contains("'-1' is invalid for '--after"), "\(affected)")
    }
}
