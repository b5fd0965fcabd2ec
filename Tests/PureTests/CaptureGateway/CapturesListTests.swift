import CaptureModel
import CaptureStore
import FoundationEssentials
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The list of captures over HTTP` {
    @Test func `the list of captures is for tokens and logins, page by page, and names a parameter that means nothing`()
        async throws
    {
        let device = DeviceID(UUID())
        let captures = (0..<5).map { index in
            ArchivedCapture(
                id: CaptureID(UUID()), device: device,
                receivedAt: Timestamp(millisecondsSince1970: Int64(1000 - index)),
                result: nil)
        }
        try await GatewayFixture().withOperators(archive: ListedArchive(captures: captures)).run { gateway in
            #expect(try await gateway.get("/api/v1/captures").status == 401)
            var (met, after): ([JSONValue], String?) = ([], "")
            while let place = after {
                let query = place.isEmpty ? "" : "&after=\(PercentEncoding.encode(place))"
                let page = try await gateway.get("/api/v1/captures?limit=2\(query)", token: GatewayFixture.readToken)
                #expect(page.status == 200)
                met += page.data["captures"].elements
                after = page.data["next"].string
            }
            #expect(met.compactMap { $0["capture_id"].string } == captures.map(\.id.description))
            #expect(met.allSatisfy { $0["status"] == "queued" && $0["device_id"].string == device.description })
            for (query, field) in [
                ("state=odd", "state"), ("reason=x", "reason"), ("device=1", "device"), ("limit=501", "limit"),
                ("after=x", "after"), ("from=yesterday", "from"), ("to=2026-11-27", "to"),
                ("from=2026-11-27T09:31", "from"), ("confidence=1", "confidence"),
                ("state=failed&after=x", "after"), ("states=failed", "states"), ("status=odd", "status"),
                ("status=failed&after=x", "after"), ("status=failed&status=queued", "status"),
                ("limit=1&limit=2", "limit"), ("status=failed&state=failed", "state"),
            ] {
                let answer = try await gateway.get("/api/v1/captures?\(query)", token: GatewayFixture.readToken)
                #expect(answer.status == 400 && answer.field == field)
            }
        }
    }

    @Test func `a time east of Greenwich is refused with how its + is written, and taken so`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let list = "/api/v1/captures?from=2026-11-27T00:00:00"
            let plain = try await gateway.get("\(list)+01:00", token: GatewayFixture.readToken)
            #expect(plain.status == 400 && plain.field == "from" && plain.message?.contains("%2B") == true)
            #expect(try await gateway.get("\(list)%2B01:00", token: GatewayFixture.readToken).status == 200)
        }
    }
}
