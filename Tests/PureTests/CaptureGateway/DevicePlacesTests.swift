import CaptureModel
import CaptureStore
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Places in the list of devices` {
    @Test func `a device that there is not is none, and one that is may be the last`() async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let last = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            for (place, isKnown) in [(last, true), (DeviceID(UUID()), false)] {
                let answer = try await gateway.get(
                    "/api/v1/devices?after=\(place)", token: GatewayFixture.readToken)
                #expect(answer.status == (isKnown ? 200 : 400))
                #expect(answer.field == (isKnown ? nil : "after"))
                if isKnown { #expect(answer.data["devices"] == .array([])) }
                let page = try await login.get("/dashboard/devices?after=\(place)")
                #expect(page.status == answer.status && page.text.contains("No more.") == isKnown)
                #expect(page.text.contains("begin again without it") != isKnown)
            }
        }
    }

    @Test func `the last page says that it is, also if it is full`() async throws {
        try await CapturesGateway.run { gateway in
            let devices = [gateway.backend.device, try await gateway.otherDevice().id]
            var (met, query): ([String], String?) = ([], "limit=1")
            while let asked = query, met.count < 3 {
                let page = try await gateway.send(
                    .GET, "/api/v1/devices?\(asked)", headers: CapturesGateway.dashboard)
                #expect(page.status == 200)
                met += page.data["devices"].elements.compactMap { $0["device_id"].string }
                query = page.data["next"].string.map { "limit=1&after=\($0)" }
            }
            #expect(met.count == 2 && Set(met) == Set(devices.map(\.description)))
        }
    }

    @Test(arguments: [(1, "1"), (2, nil), (3, nil)] as [(Int, String?)])
    func `a page of what a key has signed names the next one by its last counter`(limit: Int, next: String?) throws {
        let found = (1...2).prefix(limit + 1).map { counter in
            AffectedResult(
                capture: CaptureID(UUID()), counter: UInt32(counter),
                receivedAt: Timestamp(millisecondsSince1970: 1_800_000_000_000))
        }
        let json = try JSONEncoder().encode(AffectedDocument(found, limit: limit))
        let page = try JSONValue(json: json)
        #expect(page["results"].elements.count == min(limit, 2) && page["next"].string == next)
        #expect(page.members.keys.contains("next"), "said also where none follows")
    }
}
