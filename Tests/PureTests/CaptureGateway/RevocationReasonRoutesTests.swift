import CaptureModel
import CaptureOperations
import PercentEncoding
import Testing

@Suite("The reason of a revocation, by API and form", .timeLimit(.minutes(2)))
struct RevocationReasonRoutesTests {
    /// Reasons, the longer ones of letters that take two bytes each, and whether they are taken.
    private static let reasons = [
        ("", false), ("x", true), (String(repeating: "é", count: RevocationReason.bytesMax / 2), true),
        (String(repeating: "é", count: RevocationReason.bytesMax / 2 + 1), false), ("lost\0", false),
    ]

    @Test(arguments: reasons)
    func `a compromised key has a reason by one rule, by the API and by the form`(reason: String, isTaken: Bool)
        async throws
    {
        let fixture = try CompromiseScene.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let asked = try await gateway.post(
                "/api/v1/devices/\(device)/revoke", ["reason": .string(reason)],
                headers: CompromiseScene.authorization)
            #expect(asked.status == (isTaken ? 200 : 400))
            let login = try await DashboardLogin(gateway)
            let form = [("from", CompromiseScene.since(fixture).rfc3339), ("reason", reason)]
            let sent = try await login.post("/dashboard/devices/\(device)/revoke", form)
            #expect(sent.status == (isTaken ? 303 : 400))
            if !isTaken {
                #expect(asked.field == "reason" && sent.text.contains(RevocationReason.rule))
                let preview = try await login.get(
                    "/dashboard/devices/\(device)?preview=1&reason=\(PercentEncoding.encode(reason))")
                let words = reason.isEmpty ? "Say a reason first" : "The reason must be \(RevocationReason.rule)"
                #expect(preview.text.contains(">\(words): the audit keeps it.</p>"))
            }
        }
    }
}
