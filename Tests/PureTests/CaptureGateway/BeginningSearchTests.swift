import CaptureModel
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Searching for the beginning of an id` {
    private static let path = "/dashboard/captures?q=0197F3A2"

    private static func run(
        _ found: FoundIDs, on fixture: GatewayFixture,
        _ body: @Sendable @escaping (GatewayCaller) async throws -> Void
    ) async throws {
        var archive = ListedArchive()
        archive.found = found
        try await fixture.withOperators(archive: archive).run { gateway in try await body(gateway) }
    }

    @Test func `the only capture or device is shown`() async throws {
        let (capture, device) = (CaptureID(UUID()), DeviceID(UUID()))
        try await Self.run(FoundIDs(captures: [capture]), on: GatewayFixture()) { gateway in
            let answer = try await DashboardLogin(gateway).get(Self.path)
            #expect(answer.status == 303 && answer.location == "/dashboard/captures/\(capture)")
        }
        try await Self.run(FoundIDs(devices: [device]), on: GatewayFixture()) { gateway in
            let answer = try await DashboardLogin(gateway).get(Self.path)
            #expect(answer.status == 303 && answer.location == "/dashboard/devices/\(device)")
        }
    }

    @Test func `of several captures and devices all are listed, and what was searched for stays`() async throws {
        var fixture = try GatewayFixture()
        let ledger = MemoryIntakeLedger(time: fixture.time.source)
        fixture.dependencies.intake = ledger
        var maker = SubmissionMaker(seed: 1)
        let device = maker.device()
        try await fixture.store.register(SimulatedDevice(appID: GatewayFixture.appID), as: device, at: fixture.time.now)
        let submission = maker.submission(of: device, receivedAt: fixture.time.now)
        _ = try await ledger.record([submission])
        try await Self.run(FoundIDs(captures: [submission.id], devices: [device]), on: fixture) { gateway in
            let answer = try await DashboardLogin(gateway).get(Self.path)
            #expect(answer.status == 200)
            #expect(answer.text.contains("href=\"/dashboard/captures/\(submission.id)\""))
            #expect(answer.text.contains("href=\"/dashboard/devices/\(device)\""))
            #expect(answer.text.contains("value=\"0197F3A2\""))
            #expect(!answer.text.contains("more characters find fewer"))
        }
    }

    @Test func `a list of ids that begin alike says that it was cut`() async throws {
        let devices = (0..<FoundIDs.eachMax).map { _ in DeviceID(UUID()) }
        try await Self.run(FoundIDs(devices: devices), on: GatewayFixture()) { gateway in
            let answer = try await DashboardLogin(gateway).get(Self.path)
            #expect(answer.status == 200 && answer.text.contains("more characters find fewer"))
            let api = try await gateway.get("/api/v1/search?id=0197f3a2", token: GatewayFixture.readToken)
            #expect(api.data["devices"].elements.count == FoundIDs.eachMax && api.data["cut"] == true)
        }
    }

    @Test func `the API names what begins alike, and refuses what no id begins with`() async throws {
        let found = FoundIDs(captures: [CaptureID(UUID()), CaptureID(UUID())], devices: [DeviceID(UUID())])
        try await Self.run(found, on: GatewayFixture()) { gateway in
            let answer = try await gateway.get("/api/v1/search?id=0197F3A2-7", token: GatewayFixture.readToken)
            #expect(answer.status == 200 && answer.data["cut"] == false)
            #expect(answer.data["captures"].elements.compactMap(\.string) == found.captures.map(\.description))
            #expect(answer.data["devices"].elements.compactMap(\.string) == found.devices.map(\.description))
            for query in ["", "?id=0197f3a", "?id=0197f3a27", "?id=nobody00"] {
                let refused = try await gateway.get("/api/v1/search\(query)", token: GatewayFixture.readToken)
                #expect(refused.status == 400 && refused.field == "id", "\(query)")
            }
            #expect(try await gateway.get("/api/v1/search?id=0197f3a2").status == 401)
        }
        try await GatewayFixture().run { gateway in
            let closed = try await gateway.get("/api/v1/search?id=0197f3a2", token: GatewayFixture.readToken)
            #expect(closed.status == 404)
        }
    }
}
