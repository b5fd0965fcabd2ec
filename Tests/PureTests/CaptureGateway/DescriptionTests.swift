import CaptureModel
import DeviceSimulator
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The description of the gateway's operations` {
    @Test func `the description names every operation and every code`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let document = try await gateway.get("/openapi.json").json
            #expect(document["openapi"] == "3.1.0")
            for operation in Operation.allCases {
                let item = document["paths"][operation.path][operation.method.rawValue.lowercased()]
                #expect(item["operationId"].string == operation.rawValue)
                #expect(item["responses"].members.keys.contains { $0.hasPrefix("2") })
            }
            let asking = document["paths"][Operation.captureStatus.path]["get"]["parameters"].elements
            let wait = asking.first { $0["name"].string == "wait" }
            let waitMax = fixture.configuration.reading.waitMax.components.seconds
            #expect(wait["schema"]["maximum"] == .whole(waitMax))
            let codes = document["components"]["schemas"]["Failure"]["properties"]["error"]["properties"]["code"]
            #expect(Set(codes["enum"].elements.compactMap(\.string)) == Set(APIError.Code.allCases.map(\.rawValue)))
            #expect(
                Set(document["components"]["responses"].members.keys) == Set(APIError.Code.allCases.map(\.rawValue)))
            let found = references(in: document)
            #expect(found.count > Operation.allCases.count)
            for reference in found {
                var target: JSONValue? = document
                for name in reference.dropFirst(2).split(separator: "/") { target = target[String(name)] }
                #expect(target != nil, "\(reference) leads nowhere")
            }
        }
    }

    @Test func `a text in a query has something in it`() {
        let parameters = Operation.allCases.flatMap { $0.parameters(GatewayConfiguration.Reading()) }
        for name in ["after", "who", "subject", "lastEventId"] {
            let found = parameters.filter { $0["name"]?.string == name }
            #expect(!found.isEmpty, "\(name)")
            #expect(found.allSatisfy { $0["schema"]?["minLength"]?.integer == 1 }, "\(name)")
        }
    }

    @Test func `without a token, a login or a device only these operations are called`() {
        let open = Operation.allCases.filter { $0.security.isEmpty }
        #expect(
            open == [
                .issueChallenge, .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment,
                .attestEnrolment, .setEnrolmentPassword, .finalizeEnrolment, .liveness, .readiness, .metrics,
                .description,
            ])
    }

    @Test func `answers have the members that the description promises`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let schemas = try await gateway.get("/openapi.json").json["components"]["schemas"]
            func check(_ name: String, _ data: JSONValue?, sourceLocation: SourceLocation = #_sourceLocation) {
                let required = Set(schemas[name]["required"].elements.compactMap(\.string))
                let described = Set(schemas[name]["properties"].members.keys)
                let there = Set(data.members.keys)
                #expect(
                    required.isSubset(of: there) && there.isSubset(of: described), "\(name)",
                    sourceLocation: sourceLocation)
            }
            check("Challenge", try await gateway.get("/api/v1/devices/challenge").data)
            check("QueueLoad", try await gateway.get("/api/v1/queue", token: GatewayFixture.readToken).data)
            check("Readiness", try await gateway.get("/readyz").data)
            check("Liveness", try await gateway.get("/healthz").data)
            for flaw in [nil, AttestationFlaw.counterNotZero] {
                let form = try fixture.form(fixture.phone, await gateway.challenge(), flaw: flaw)
                check("Device", try await gateway.post("/api/v1/devices/register", form).data)
            }
            let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
            let device = try #require(DeviceID("6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d"))
            let job = JobStatus(
                id: id, device: device, state: .retrying, attempts: 1, reason: .bundleCorrupt, fault: nil,
                receivedAt: fixture.time.now, claimedAt: nil, settledAt: nil, nextAttemptAt: nil)
            for status in [StatusDocument(job, for: .readToken), StatusDocument(ExampleRecord.verified)] {
                check("CaptureStatus", try JSONValue(json: JSONEncoder().encode(status)))
            }
        }
    }

    private func references(in tree: JSONValue) -> [String] {
        switch tree {
        case .array(let elements): elements.flatMap(references)
        case .object(let members):
            members.flatMap { name, value in
                name == "$ref" ? [value.string].compactMap { $0 } : references(in: value)
            }
        default: []
        }
    }
}
