import ArgumentParser
import CaptureModel
import CaptureStore
import Testing

@testable import capturectl

@Suite("A value on the command line")
struct CommandValueTests {
    private static let id = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

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
        let simulate = ["--gateway", "http://127.0.0.1:1", "--app-id", "TEAM123456.com.example.app", "--ca", "ca"]
        let refusals = [
            (CaptureArgument.refusal(of: ["x"]), "'x' is invalid for '<capture>': not a capture's id"),
            (DeviceArgument.refusal(of: ["x"]), "'x' is invalid for '<device>': not a device's id"),
            (InvitationsRevokeCommand.refusal(of: ["x"]), "'<invitation>': not an invitation's id"),
            (DeadFilter.refusal(of: ["--device", "x"]), "'--device <device>': not a device's id"),
            (CapturesListCommand.refusal(of: ["--to", "x"]), "'--to <time>': not a time such as"),
            (DevicesCompromiseCommand.refusal(of: compromise + ["2999-01-01T00:00:00Z"]), "lies in the future"),
            (
                SimulateRunCommand.refusal(of: simulate + ["--photo-bytes", "2000..5000"]),
                "--photo-bytes takes LO..HI within 4000..33554432"
            ),
        ]
        for (message, words) in refusals { #expect(message.contains(words), "\(message)") }
    }

    @Test func `a number below zero is told for what it is, and not as none`() {
        let gateway = ["--gateway", "http://127.0.0.1:1"]
        let simulate = gateway + ["--app-id", "TEAM123456.com.example.app", "--ca", "ca"]
        let files = ["photo", "depth", "assertion", "metadata"].flatMap { ["--\($0)", "file"] }
        let submit = gateway + ["--device", Self.id] + files
        for (option, range) in [
            ("--devices", "1 to 8"), ("--captures", "1 to 100000"), ("--concurrency", "1 to 8"),
            ("--patience", "1 to 3600"),
        ] {
            #expect(SimulateRunCommand.refusal(of: simulate + [option, "-1"]) == "\(option) takes \(range)")
        }
        for option in ["--timeout", "--wait"] {
            #expect(SubmitCommand.refusal(of: submit + [option, "-1"]) == "\(option) takes 1 to 3600")
        }
        #expect(MigrateCommand.refusal(of: ["--down-to", "-1"]).hasPrefix("--down-to takes 0 to "))
    }

    @Test(arguments: ["high", "HIGH", "High"]) func `a confidence is taken in small letters and in capitals`(
        word: String
    ) throws {
        #expect(try CapturesListCommand.parse(["--confidence", word]).filter().confidence == .high)
    }

    @Test func `a version is told with the program whose it is`() {
        #expect(Capturectl.configuration.version == "capturectl \(ProcessorVersion.current)")
    }
}
