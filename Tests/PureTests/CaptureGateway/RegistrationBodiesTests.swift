import CaptureModel
import DeviceSimulator
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

private let path = "/api/v1/devices/register"

@Suite(.timeLimit(.minutes(1))) struct `Bodies of registrations` {
    @Test func `a field at fault is named, and the challenge stays good`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let form = try fixture.form(fixture.phone, await gateway.challenge())
            func broken(_ change: (inout JSONValue?) -> Void) -> JSONValue? {
                var copy: JSONValue? = form
                change(&copy)
                return copy
            }
            let cases: [(String, JSONValue?)] = [
                ("platform", broken { $0["platform"] = nil }), ("platform", broken { $0["platform"] = "android" }),
                ("model", broken { $0["model"] = nil }), ("model", broken { $0["model"] = "" }),
                ("model", broken { $0["model"] = .string(String(repeating: "x", count: 65)) }),
                ("model", broken { $0["model"] = "a\nb" }),
                ("has_lidar", broken { $0["has_lidar"] = nil }), ("has_lidar", broken { $0["has_lidar"] = "yes" }),
                ("attestation", broken { $0["attestation"] = nil }),
                ("attestation", broken { $0["attestation"] = "x" }),
                ("attestation.key_id", broken { $0["attestation"]["key_id"] = nil }),
                ("attestation.key_id", broken { $0["attestation"]["key_id"] = "%%%" }),
                ("attestation.key_id", broken { $0["attestation"]["key_id"] = "AAAA" }),
                ("attestation.attestation_object", broken { $0["attestation"]["attestation_object"] = "" }),
                ("attestation.challenge", broken { $0["attestation"]["challenge"] = "AAAA" }),
                (
                    "public_key",
                    broken {
                        $0["public_key"] = ["algorithm": "ed25519", "key": "", "challenge": "", "signature": ""]
                    }
                ),
                (
                    "public_key.algorithm",
                    [
                        "platform": "ios", "model": "x", "has_lidar": true,
                        "public_key": ["algorithm": "rsa", "key": "", "challenge": "", "signature": ""],
                    ]
                ),
            ]
            for (field, body) in cases {
                let answer = try await gateway.post(path, body)
                #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR" && answer.field == field)
            }
            let neither = try await gateway.post(path, broken { $0["attestation"] = nil })
            #expect(neither.message == "is missing, and so is public_key")
            let unseen = try await gateway.post(path, broken { $0["model"] = "a\nb" })
            #expect(unseen.message == "must be 1 to 64 printable characters of ASCII")
            #expect(try await gateway.post(path, form).status == 201)
        }
    }

    @Test func `newer apps may send more`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            var form: JSONValue? = try fixture.form(fixture.phone, await gateway.challenge())
            form["more"] = ["x": 1]
            #expect(try await gateway.post(path, form).status == 201)
        }
    }

    @Test(arguments: ["", "{", "[]", "null", "7", "\u{1}", #"{"platform":"ios","#])
    func `what is not a JSON object is refused`(text: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let answer = try await gateway.send(.POST, path, body: Array(text.utf8))
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR" && answer.field == nil)
            #expect(answer.message?.hasPrefix("the body is not ") == true)
            #expect(answer.json["meta"]["request_id"].string != nil)
        }
    }

    /// Names of combining marks are compared in a time that grows with the square of their length: seconds for each
    /// request, asked for by anybody.
    @Test(arguments: [
        (
            #"{""# + String(repeating: "\u{345}", count: 15_000) + String(repeating: "\u{327}", count: 15_000)
                + #"":1}"#, "128"
        ),
        (#"{"platform":"ios","platform":"ios"}"#, "twice"),
        (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "too deep"),
    ])
    func `what no decoder should see is refused before one does`(text: String, why: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let answer = try await gateway.send(.POST, path, body: Array(text.utf8))
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR")
            #expect(answer.json["error"]["message"].string?.contains(why) == true)
        }
    }

    @Test func `too large a body and another type are refused, and the connection goes on`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let large = try await gateway.send(.POST, path, body: Array(repeating: 0x20, count: 300_000))
            #expect(large.status == 413 && large.code == "PAYLOAD_TOO_LARGE")
            let text = try await gateway.send(
                .POST, path, headers: ["Content-Type": "text/plain"], body: Array("{}".utf8))
            #expect(text.status == 415 && text.code == "UNSUPPORTED_MEDIA_TYPE")
            #expect(text.field == "Content-Type")
            #expect(try await gateway.get("/healthz").status == 200)
        }
    }
}
