import ArgumentParser
import CaptureModel
import Testing

@testable import capturectl

@Suite("A value on the command line")
struct CommandValueTests {
    private static let id = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    private func refusal<Options: ParsableArguments>(_ type: Options.Type, _ arguments: [String]) -> String {
        do {
            _ = try Options.parse(arguments)
            return "taken"
        } catch {
            return Options.message(for: error)
        }
    }

    @Test func `a value on the command line is read while the line is parsed`() throws {
        #expect(try CaptureArgument.parse([Self.id]).id == CaptureID(Self.id))
        #expect(try DeviceArgument.parse([Self.id]).id == DeviceID(Self.id))
        let revoke = try DevicesRevokeCommand.parse([Self.id, "--reason", "lost", "--from", "2026-04-21T18:13:12Z"])
        #expect(revoke.from == Timestamp(rfc3339: "2026-04-21T18:13:12Z"))
        #expect(try DevicesRevokeCommand.parse([Self.id, "--reason", "lost"]).from == nil)
        #expect(try CapturesListCommand.parse([]).since == nil)
    }

    @Test func `a value on the command line is refused with its place, and with what it is not`() {
        let compromise = [Self.id, "--reason", "lost", "--since"]
        let refusals = [
            (refusal(CaptureArgument.self, ["x"]), "'x' is invalid for '<capture>': not a capture's id"),
            (refusal(DeviceArgument.self, ["x"]), "'x' is invalid for '<device>': not a device's id"),
            (refusal(InvitationsRevokeCommand.self, ["x"]), "'<invitation>': not an invitation's id"),
            (refusal(DeadFilter.self, ["--device", "x"]), "'--device <id>': not a device's id"),
            (refusal(CapturesListCommand.self, ["--to", "x"]), "'--to <time>': not a time such as"),
            (refusal(DevicesCompromiseCommand.self, compromise + ["2999-01-01T00:00:00Z"]), "lies in the future"),
        ]
        for (message, words) in refusals { #expect(message.contains(words), "\(message)") }
    }
}
