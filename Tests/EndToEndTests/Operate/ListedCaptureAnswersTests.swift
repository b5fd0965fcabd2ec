import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("Captures over HTTP and by capturectl", .timeLimit(.minutes(5)))
struct ListedCaptureAnswersTests {
    /// What a command prints with `--json`.
    private func printed(_ arguments: [String], _ scene: OperatorScene) async throws -> JSONValue {
        let run = try await scene.stack.capturectl(arguments + ["--json"])
        #expect(run.exitCode == 0, "\(run.output)")
        let line = run.output.split(separator: "\n").last ?? ""
        return try JSONValue(json: line.utf8)
    }

    @Test(arguments: ["rejected", "verified"])
    func `captures over HTTP and by capturectl are listed in the same words`(state: String) async throws {
        let scene = try await OperatorScene.shared.value()
        let device = "\(scene.phone.id)"
        let answered = try await scene.phone.gateway.data("/api/v1/captures?status=\(state)&device=\(device)")
        let capture = state == "verified" ? scene.verified : scene.rejected
        #expect(answered.map { $0["captures"].elements.count } == 1)
        let line = answered?["captures"].elements.first
        #expect(line?["status"]?.string == state && line?["capture_id"]?.string == "\(capture)")
        #expect((line?["explanation"] == .null) == (state == "verified"))
        for names in [["--state", "--since"], ["--status", "--from"]] {
            let list = ["captures", "list", names[0], state, "--device", device, names[1], "2020-01-01T00:00:00Z"]
            let printed = try await printed(list, scene)
            #expect(printed == answered, "\(names)")
        }
        #expect(try await scene.phone.gateway.data("/api/v1/captures?state=\(state)&device=\(device)") == answered)
    }

    @Test func `captures over HTTP and by capturectl are shown with the status that the API tells`() async throws {
        let scene = try await OperatorScene.shared.value()
        let shown = try await printed(["captures", "show", "\(scene.rejected)"], scene)
        let told = try await scene.phone.gateway.data("/api/v1/captures/\(scene.rejected)")
        let names = [
            "capture_id", "device_id", "status", "reason", "explanation", "fault", "attempts", "redriven", "confidence",
            "received_at", "claimed_at", "settled_at", "next_attempt_at", "compromised_since",
        ]
        for name in names {
            let (left, right) = (shown[name], told?[name])
            #expect(left != nil && left == right, "\(name)")
        }
    }
}
