import AsyncHTTPClient
import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

@Suite("One trace leads from the upload to the verdict", .timeLimit(.minutes(5)))
struct TraceTests {
    private static let settings = [
        "CAPTURE_LOG_FORMAT": "json", "CAPTURE_LOG_LEVEL": "debug", "CAPTURE_GATEWAY_PRECHECK": "none",
    ]

    @Test func `gateway and worker log a capture under its client's trace, with its ids`() async throws {
        let stack = try await Stack.start(settings: Self.settings)
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let signed = try phone.shoot(seed: 1)
        let trace = "0af7651916cd43dd8448eb211c80319c"
        let answer = try await GatewayEndpoint(gateway).ask(
            "/api/v1/captures", method: .POST,
            headers: [
                ("X-Device-Id", "\(phone.id)"), ("X-Request-Id", "request-of-the-test"),
                ("traceparent", "00-\(trace)-b7ad6b7169203331-01"),
                ("Content-Type", "multipart/form-data; boundary=\(GatewayEndpoint.boundary)"),
            ], body: GatewayEndpoint.form(signed))
        #expect(answer.status == 202)

        let accepted = try await Self.line(of: gateway, containing: "\"message\":\"capture accepted\"")
        #expect(accepted["trace_id"] == trace)
        #expect(accepted["request_id"] == "request-of-the-test")
        #expect(accepted["device_id"] == "\(phone.id)")
        let settled = try await Self.line(of: worker, containing: "\"message\":\"capture settled\"")
        #expect(settled["trace_id"] == trace)
        #expect(settled["capture_id"] == accepted["capture_id"])
        #expect(settled["device_id"] == "\(phone.id)")
        #expect(settled["verdict"] == "verified")

        let upload = try await Self.line(of: gateway, containing: "\"span\":\"POST /api/v1/captures\"")
        #expect(upload["parent_id"] == "b7ad6b7169203331")
        for span in ["verify", "settle"] {
            let line = try await Self.line(of: worker, containing: "\"span\":\"\(span)\"")
            #expect(line["trace_id"] == trace)
            #expect(line["parent_id"] == upload["span_id"])
            #expect(line["capture_id"] == accepted["capture_id"])
        }
        // Where the photo was taken is in the metadata, and in no log.
        #expect(String(decoding: signed.capture.metadata, as: UTF8.self).contains("latitude"))
        for process in [gateway, worker] {
            #expect(["latitude", "longitude", "location"].allSatisfy { !process.output.contains($0) })
        }
    }

    @Test func `a capture without a good trace gets one of its own, the same in both logs`() async throws {
        let stack = try await Stack.start(settings: Self.settings)
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let signed = try phone.shoot(seed: 1)
        let answer = try await GatewayEndpoint(gateway).ask(
            "/api/v1/captures", method: .POST,
            headers: [
                ("X-Device-Id", "\(phone.id)"), ("traceparent", "00-nonsense-b7ad6b7169203331-01"),
                ("Content-Type", "multipart/form-data; boundary=\(GatewayEndpoint.boundary)"),
            ], body: GatewayEndpoint.form(signed))
        #expect(answer.status == 202)
        let accepted = try await Self.line(of: gateway, containing: "\"message\":\"capture accepted\"")
        let settled = try await Self.line(of: worker, containing: "\"message\":\"capture settled\"")
        #expect(accepted["trace_id"]?.count == 32)
        #expect(settled["trace_id"] == accepted["trace_id"])
        #expect(!gateway.output.contains("nonsense"))
    }

    /// A line of a program's log as its fields.
    private static func line(of process: LeashedProcess, containing text: String) async throws -> [String: String] {
        let line = try await process.line(containing: text)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        return object.compactMapValues { $0 as? String }
    }
}
