import CaptureModel
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Answers and their description` {
    private static let headers: HTTPHeaders = ["Content-Type": Envelope.contentType, "X-Request-Id": "a"]
    private static let meta = #""meta": {"request_id": "a", "timestamp": "2026-05-28T20:26:40.000Z"}"#

    private static func failure(_ code: String) -> String {
        #"{"error": {"code": "\#(code)", "message": "x"}, \#(meta)}"#
    }

    /// What is wrong with an answer to a `GET`.
    private func faults(
        _ path: String, _ status: Int, _ body: String, headers: HTTPHeaders = Self.headers
    ) throws -> [String] {
        try DescribedAnswers.faults(.GET, path, status: status, headers: headers, body: Array(body.utf8))
    }

    @Test func `the description that answers are held to is the one that is served`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let served = try await gateway.get("/openapi.json").json
            #expect(served != .null)
            let held = try JSONValue(json: DescribedAnswers.document())
            #expect(served == held)
        }
    }

    @Test func `a real answer is as described, and no longer once a member of it is another`() async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let path = "/api/v1/queue"
            let answer = try await gateway.get(path, token: GatewayFixture.readToken)
            func faults(_ change: (inout JSONValue?) -> Void) throws -> [String] {
                var json: JSONValue? = answer.json
                change(&json)
                return try DescribedAnswers.faults(
                    .GET, path, status: answer.status, headers: answer.headers,
                    body: Array(JSONEncoder().encode(json)))
            }
            #expect(try faults { _ in } == [])
            #expect(try faults { $0["data"]["paused"] = "no" } == ["$.data.paused: 'no' is no boolean"])
            #expect(try faults { $0["data"]["bytes"] = .whole(-1) } == ["$.data.bytes: -1 is below 0"])
            #expect(try faults { $0["data"]["bytes"] = nil } == ["$.data: has no member 'bytes'"])
            #expect(try faults { $0["data"]["news"] = true } == ["$.data.news: is not described"])
            #expect(
                try faults { $0["data"]["last_hour"]["reasons"] = ["INTERNAL": "many"] }
                    == ["$.data.last_hour.reasons.INTERNAL: 'many' is no integer"])
            #expect(
                try faults { $0["meta"]["timestamp"] = "yesterday" }
                    == ["$.meta.timestamp: 'yesterday' is no date-time"])
        }
    }

    @Test func `what is one of a few values, or none, is no other`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            let answer = try await gateway.status(id)
            func faults(_ member: String, _ value: JSONValue) throws -> [String] {
                var json: JSONValue? = answer.json
                json["data"][member] = value
                return try DescribedAnswers.faults(
                    .GET, "/api/v1/captures/\(id)", status: answer.status, headers: answer.headers,
                    body: Array(JSONEncoder().encode(json)))
            }
            for member in ["confidence", "verdict"] {
                #expect(try faults(member, .null) == [])
                let found = try faults(member, "hgih")
                #expect(found.count == 1 && found[0].hasPrefix("$.data.\(member): 'hgih' is not one of "), "\(found)")
            }
        }
    }

    @Test func `a new attestation is asked for with one, as its route takes it`() throws {
        let json = try JSONValue(json: DescribedAnswers.document())
        let body = json["paths"]["/api/v1/devices/{id}/attestation"]["post"]["requestBody"]
        let named = try #require(body["content"]["application/json"]["schema"]["$ref"].string)
        let schema = json["components"]["schemas"][String(named.split(separator: "/").last ?? "")]
        let members = Set(schema["required"].elements.compactMap(\.string))
        #expect(members == ["platform", "model", "has_lidar", "attestation"])
        #expect(Set(schema["properties"].members.keys) == members)
    }

    @Test func `a failure is held to the codes of its status`() throws {
        let path = "/api/v1/devices/challenge"
        var headers = Self.headers
        #expect(try faults(path, 429, Self.failure("RATE_LIMITED")) == [])
        #expect(
            try faults(path, 429, Self.failure("QUEUE_FULL"))
                == ["$.error.code: 'QUEUE_FULL' is not one of 'RATE_LIMITED'"])
        #expect(try faults(path, 404, Self.failure("NOT_FOUND")).first?.hasPrefix("status: 404 is not one of") == true)
        headers.add(name: "Retry-After", value: "soon")
        #expect(
            try faults(path, 429, Self.failure("RATE_LIMITED"), headers: headers)
                == ["Retry-After: 'soon' is no integer"])
    }

    @Test func `readiness shares its status with a gateway that has no connection left`() throws {
        let dependencies = #"{"redis": "down", "postgres": "up"}"#
        let waiting = #"{"data": {"status": "unavailable", "dependencies": \#(dependencies)}, \#(Self.meta)}"#
        #expect(try faults("/readyz", 503, waiting) == [])
        #expect(try faults("/readyz", 503, Self.failure("UNAVAILABLE")) == [])
        #expect(try !faults("/readyz", 503, Self.failure("QUEUE_FULL")).isEmpty)
        #expect(try !faults("/readyz", 503, waiting.replacing("unavailable", with: "tired")).isEmpty)
    }

    @Test func `what is no operation is 404 or 405, and pages are not looked at`() throws {
        #expect(try faults("/nowhere", 404, Self.failure("NOT_FOUND")) == [])
        #expect(try !faults("/nowhere", 200, "{}").isEmpty)
        #expect(try !faults("/nowhere", 404, Self.failure("FORBIDDEN")).isEmpty)
        #expect(try faults("/api/v1/captures/status", 405, Self.failure("METHOD_NOT_ALLOWED")) == [])
        #expect(try faults("/dashboard", 200, "<html>") == [] && faults("/dashboard/dead", 303, "") == [])
        #expect(try !faults("/dashboards", 200, "<html>").isEmpty)
    }
}
