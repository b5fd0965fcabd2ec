import ArgumentParser
import CaptureModel
import CaptureStore
import FoundationEssentials
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway
@testable import capturectl

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
                ("status=verified&reason=SIGNATURE_INVALID", "reason"),
                ("status=rejected&confidence=high", "confidence"),
                ("reason=SIGNATURE_INVALID&confidence=low", "reason"), ("status=queued&confidence=none", "confidence"),
                ("status=queued&reason=BUNDLE_CORRUPT", "reason"), ("status=retrying&reason=COUNTER_STALE", "reason"),
                ("status=retrying&reason=INTERNAL&confidence=low", "confidence"),
                ("status=rejected&reason=INTERNAL", "reason"),
                ("status=failed&reason=COUNTER_STALE", "reason"), ("status=failed&confidence=high", "confidence"),
                ("reason=INTERNAL&confidence=none", "confidence"),
                ("from=2026-11-27T09:31:00Z&to=2026-11-27T09:31:00Z", "to"),
                ("status=failed&from=2026-11-27T09:31:00Z&to=2026-11-27T09:30:00Z", "to"),
            ] {
                let answer = try await gateway.get("/api/v1/captures?\(query)", token: GatewayFixture.readToken)
                #expect(answer.status == 400 && answer.field == field)
            }
        }
    }

    @Test(arguments: [
        (
            "reason=SIGNATURE_INVALID&confidence=low",
            "is one of rejected captures only, and their confidence is none"
        ),
        (
            "status=rejected&reason=SIGNATURE_INVALID&confidence=low",
            "is one of rejected captures only, and their confidence is none"
        ),
        (
            "status=verified&reason=SIGNATURE_INVALID&confidence=none",
            "is one of rejected captures only, and verified ones are asked for"
        ),
        (
            "status=verified&reason=SIGNATURE_INVALID",
            "is one of rejected captures only, and verified ones are asked for"
        ),
        (
            "status=queued&reason=BUNDLE_CORRUPT",
            "is one of failed or retrying captures only, and queued ones are asked for"
        ),
        ("status=retrying&reason=COUNTER_STALE", "is one of rejected captures only, and retrying ones are asked for"),
        ("status=rejected&confidence=high", "is one of verified captures only, and rejected ones are asked for"),
        ("reason=INTERNAL&confidence=none", "is one of rejected captures only, and the reason is one of failed ones"),
    ])
    func `a list that can find nothing is refused in words that say which part excludes which`(
        query: String, message: String
    ) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let answer = try await gateway.get("/api/v1/captures?\(query)", token: GatewayFixture.readToken)
            #expect(answer.status == 400 && answer.message == message)
        }
    }

    /// The reason of a check that only warns is in no verdict: an empty list would look like an answer.
    @Test func `lists take the reasons that the command line takes, and offer no other`() async throws {
        let parameters = Operation.listCaptures.parameters(GatewayConfiguration.Reading())
        let described = try #require(parameters.first { $0["name"].string == "reason" })
        try await GatewayFixture().withOperators(archive: ListedArchive()).run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/captures").text
            for code in Reason.allCases.map(\.rawValue) {
                let isTaken =
                    CapturesListCommand.refusal(of: ["--reason", code]) == "taken"
                    || DeadListCommand.refusal(of: ["--reason", code]) == "taken"
                let answer = try await gateway.get("/api/v1/captures?reason=\(code)", token: GatewayFixture.readToken)
                let (status, field): (Int, String?) = isTaken ? (200, nil) : (400, "reason")
                #expect(answer.status == status && answer.field == field, "\(code)")
                #expect(page.contains("<option value=\"\(code)\"") == isTaken, "\(code)")
                #expect(described["schema"]["enum"].elements.contains(.string(code)) == isTaken, "\(code)")
            }
        }
    }

    @Test func `a list of rejected captures may ask for their reason and their confidence`() async throws {
        try await GatewayFixture().withOperators(archive: ListedArchive()).run { gateway in
            let query = "status=rejected&reason=SIGNATURE_INVALID&confidence=none"
            let answer = try await gateway.get("/api/v1/captures?\(query)", token: GatewayFixture.readToken)
            #expect(answer.status == 200)
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
