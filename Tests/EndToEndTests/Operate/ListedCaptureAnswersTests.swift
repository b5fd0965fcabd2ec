import AsyncHTTPClient
import CaptureModel
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@Suite("Captures over HTTP and by capturectl", .timeLimit(.minutes(5)))
struct ListedCaptureAnswersTests {
    /// What the dashboards' token reads at a path.
    private func data(_ path: String, _ scene: OperatorScene) async throws -> JSONValue? {
        var request = HTTPClientRequest(url: scene.address + path)
        request.headers.add(name: "Authorization", value: "Bearer \(Stack.token)")
        let response = try await Stack.http.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        try await Stack.expectDescribed(.GET, path, of: scene.phone.gateway, response, bytes)
        return try JSONValue(json: bytes.readableBytesView)["data"]
    }

    /// What a command prints with `--json`.
    private func printed(_ arguments: [String], _ scene: OperatorScene) async throws -> JSONValue {
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), arguments + ["--json"], environment: scene.stack.environment)
        #expect(run.exitCode == 0, "\(run.output)")
        let line = run.output.split(separator: "\n").last ?? ""
        return try JSONValue(json: line.utf8)
    }

    @Test(arguments: ["rejected", "verified"])
    func `captures over HTTP and by capturectl are listed in the same words`(state: String) async throws {
        let scene = try await OperatorScene.shared.value()
        let device = "\(scene.phone.id)"
        let answered = try await data("/api/v1/captures?status=\(state)&device=\(device)", scene)
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
        #expect(try await data("/api/v1/captures?state=\(state)&device=\(device)", scene) == answered)
    }

    @Test func `captures over HTTP and by capturectl are shown with the status that the API tells`() async throws {
        let scene = try await OperatorScene.shared.value()
        let shown = try await printed(["captures", "show", "\(scene.rejected)"], scene)
        let told = try await data("/api/v1/captures/\(scene.rejected)", scene)
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
