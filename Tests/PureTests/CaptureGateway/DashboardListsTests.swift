import CaptureModel
import CaptureQueue
import CaptureStore
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Lists and moments at the dashboard` {
    @Test func `a reason of dead letters lists them, whatever state is not asked for`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let buried = try await fixture.queue.bury(["refused", "odd"], seed: 1)
        try await fixture.run { gateway in
            let path = "/api/v1/captures?reason=ATTEMPTS_EXHAUSTED"
            var (met, after): ([String], String?) = ([], "")
            while let place = after {
                let query = place.isEmpty ? "" : "&after=\(FormFields.encode(place))"
                let page = try await gateway.get("\(path)&limit=1\(query)", token: GatewayFixture.readToken)
                #expect(page.status == 200)
                met += page.data["captures"].elements.compactMap { $0["capture_id"].text }
                after = page.data["next"].text
            }
            #expect(Set(met) == Set(buried.map(\.description)) && met.count == 2)
            for query in ["\(path)&state=verified", "/api/v1/captures?reason=BUNDLE_MISSING"] {
                let page = try await gateway.get(query, token: GatewayFixture.readToken)
                #expect(page.status == 200 && page.data["captures"].elements.isEmpty, "\(query)")
            }
            let shown = try await DashboardLogin(gateway).get("/dashboard/captures?reason=ATTEMPTS_EXHAUSTED")
            for capture in buried { #expect(shown.text.contains("/dashboard/captures/\(capture)")) }
        }
    }

    @Test func `a page without captures that others follow says so`() async throws {
        let captures = (0..<60).map { index in
            ArchivedCapture(
                id: CaptureID(UUID()), device: DeviceID(UUID()),
                receivedAt: Timestamp(millisecondsSince1970: Int64(1000 - index)), result: nil)
        }
        try await GatewayFixture().withOperators(archive: ListedArchive(captures: captures)).run { gateway in
            let login = try await DashboardLogin(gateway)
            // All of them wait: none of the first fifty is in a worker's hands.
            let first = try await login.get("/dashboard/captures?state=processing")
            #expect(first.text.contains("None among these; go on.") && first.text.contains("Next page"))
            #expect(!first.text.contains("No captures."))
            let only = try await login.get("/dashboard/captures?state=processing&limit=500")
            #expect(only.text.contains("No captures.") && !only.text.contains("Next page"))
        }
    }

    @Test func `moments that are asked for, or about to be confirmed, say that they are UTC`() async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let list = try await login.get("/dashboard/captures").text
            #expect(list.contains(">From (UTC)</label>") && list.contains(">To (UTC)</label>"))
            let page = try await login.get(
                "/dashboard/devices/\(device)?preview=1&reason=stolen&from=2026-01-02T03:04:05"
            ).text
            #expect(page.contains("From (UTC)"))
            #expect(page.contains(">2026-01-02 03:04:05</time> UTC: "))
        }
    }
}
