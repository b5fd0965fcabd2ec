import Foundation
import TestSupport
import Testing

@Suite("A gateway's log", .timeLimit(.minutes(5)))
struct LogVolumeTests {
    private static let manual = (try? Repository.text("Config/deploy/README.md").replacing("\n", with: " ")) ?? ""

    /// Those who deploy reckon by it how long a log leads back, which a restore needs.
    @Test func `an accepted capture is a line as long as the manual says, and as many lines fill a log`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_LOG_FORMAT": "json", "CAPTURE_LOG_LEVEL": "info"])
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        let line = try await gateway.line(containing: "\"message\":\"capture accepted\"")
        #expect(line.contains("\(capture)"))
        let bytes = line.utf8.count + 1
        let said = try #require(Self.manual.firstMatch(of: /a line of about (\d+) bytes/)).output.1
        #expect(abs(bytes - (Int(said) ?? 0)) <= 10, "\(bytes): \(line)")
        let captures = try #require(Self.manual.firstMatch(of: /50 MiB are (\d+),000 captures/)).output.1
        #expect(abs((50 << 20) / bytes / 1000 - (Int(captures) ?? 0)) <= 5)
    }
}
