import CaptureModel
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Members that a body does not have", .timeLimit(.minutes(1)))
struct ClosedBodyTests {
    private typealias Registered = `Registration with DeviceCheck`

    /// A misspelt `environment` would have Apple's other server asked, a misspelt `compromised_since` mark nothing.
    @Test(arguments: [
        ("devices/devicecheck", "enviroment"), ("captures/status", "wait"),
        ("devices/6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d/revoke", "compromised_sinse"),
    ])
    func `members that a body does not have are refused by name`(path: String, member: String) async throws {
        let bodies: [String: JSONValue] = [
            "enviroment": try Registered.form(Registered.device(.p256), Array(repeating: 1, count: 32)),
            "compromised_sinse": ["reason": "lost"], "wait": ["capture_ids": []],
        ]
        var made = try GatewayFixture().withOperators()
        made.dependencies.registry = MemoryRegistry(store: made.store)
        let fixture = made
        try await fixture.run { gateway in
            var body = bodies[member]
            body[member] = "development"
            let answer = try await gateway.post(
                "/api/v1/\(path)", body, headers: ["Authorization": "Bearer \(GatewayFixture.operatorToken)"])
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR" && answer.field == member)
            #expect(answer.message?.hasPrefix("is unknown; known fields: ") == true)
        }
    }

    @Test func `members that a body does not have are not in its schema either`() throws {
        let schemas = OpenAPISchemas(configuration: GatewayConfiguration(appIDs: [])).tree
        for (name, members) in [
            ("CheckedRegistration", DeviceCheckRequest.members), ("RevocationRequest", RevocationRequest.members),
            ("StatusRequest", ["capture_ids"]),
        ] {
            #expect(schemas[name]["additionalProperties"] == false)
            #expect(Set(schemas[name]["properties"].members.keys) == Set(members), "\(name)")
        }
    }
}
