import AsyncHTTPClient
import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@Suite("What is in no log", .timeLimit(.minutes(5)))
struct LoggedSecretsTests {
    private static let operation = "operator-token-of-the-tests"
    private static let evidence = "evidence-token-of-the-tests"
    private static let wrong = "wrong-token-of-the-tests"
    /// Degrees in digits that no other number has.
    private static let latitude = "-33.48137154"
    private static let longitude = "-121.11576124"

    private static var settings: [String: String] {
        func digest(_ token: String) -> String { SHA256Digest.hash(Array(token.utf8)).hex }
        return [
            "CAPTURE_LOG_FORMAT": "json", "CAPTURE_LOG_LEVEL": "debug", "CAPTURE_GATEWAY_PRECHECK": "none",
            "CAPTURE_GATEWAY_OPERATOR_TOKENS": digest(operation), "CAPTURE_GATEWAY_EVIDENCE_TOKENS": digest(evidence),
        ]
    }

    @Test func `tokens, signatures, logins and places come into no log, whether they are taken or refused`()
        async throws
    {
        let stack = try await Stack.start(settings: Self.settings)
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let endpoint = try await GatewayEndpoint(gateway)
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let capture = try await settle(phone)
        try await sendSpoiltMetadata(of: phone, to: endpoint)
        try await showTokens(for: capture, of: phone, to: endpoint)
        var secrets = [Self.operation, Self.evidence, Self.wrong, Stack.token]
        // However the degrees before it are written.
        secrets += [Self.latitude, Self.longitude].compactMap { $0.split(separator: ".").last.map(String.init) }
        secrets += try await signRequests(for: capture, of: phone, to: endpoint)
        secrets += try await logIn(at: client.configuration.url)
        for process in [gateway, worker] {
            try await process.expectStop()
            for secret in secrets { #expect(!process.output.contains(secret), "\(secret)") }
        }
    }

    /// A picture whose metadata tell the place; its signature does not cover them.
    private func shoot(_ phone: Phone, seed: UInt64) throws -> SignedCapture {
        var signed = try phone.shoot(seed: seed)
        let text = String(decoding: signed.capture.metadata, as: UTF8.self).replacing(
            /"latitude":[-0-9.]+,"longitude":[-0-9.]+/,
            with: "\"latitude\":\(Self.latitude),\"longitude\":\(Self.longitude)")
        try #require(text.contains(Self.longitude))
        signed.capture.metadata = Array(text.utf8)
        return signed
    }

    /// Has one capture verified and one rejected, and returns the first.
    private func settle(_ phone: Phone) async throws -> CaptureID {
        let signed = try shoot(phone, seed: 1)
        let capture = try await phone.upload(signed)
        #expect(try await phone.settled(capture).state == .verified)
        let other = try shoot(phone, seed: 2)
        let tampered = try await phone.upload(other, showing: other.capture.photoTampered())
        #expect(try await phone.settled(tampered).state == .rejected)
        return capture
    }

    private func sendSpoiltMetadata(of phone: Phone, to endpoint: GatewayEndpoint) async throws {
        var signed = try shoot(phone, seed: 3)
        let text = String(decoding: signed.capture.metadata, as: UTF8.self)
        let place = "\(Self.latitude) \(Self.longitude)"
        let spoilt = [
            String(text.dropLast()),
            "{\"location\":\"\(place)\",\(text.dropFirst())",
            text.replacing(/"captured_at":"[^"]*"/, with: "\"captured_at\":\"\(place)\""),
            text.replacing(/"binding":"[^"]*"/, with: "\"binding\":\"\(place)\""),
            text.replacing(/"photo_hash":"[^"]*"/, with: "\"photo_hash\":\"\(place)\""),
        ]
        for metadata in spoilt {
            #expect(metadata != text)
            signed.capture.metadata = Array(metadata.utf8)
            let answer = try await endpoint.upload(signed, as: phone.id)
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR", "\(metadata): \(answer)")
        }
    }

    private func showTokens(for capture: CaptureID, of phone: Phone, to endpoint: GatewayEndpoint) async throws {
        let asked = [
            ("captures/\(capture)", Stack.token, 200), ("captures/\(capture)/evidence", Self.evidence, 200),
            ("devices/\(phone.id)", Self.operation, 200), ("captures/\(capture)", Self.wrong, 401),
            ("captures/\(capture)/evidence", Self.wrong, 401),
        ]
        for (path, token, status) in asked {
            let answer = try await endpoint.ask("/api/v1/\(path)", headers: [("Authorization", "Bearer \(token)")])
            #expect(answer.status == status, "\(path): \(answer)")
        }
    }

    /// Asks with a device's signature: a good one, the same again, and what is none.
    /// - Returns: What no other text has of the signatures as they were sent, without what JSON may write otherwise.
    private func signRequests(
        for capture: CaptureID, of phone: Phone, to endpoint: GatewayEndpoint
    ) async throws -> [String] {
        let request = try CaptureSigner(device: phone.device).sign(
            body: [], device: phone.id, at: Timestamp.systemTime())
        let good = Data(request.assertion).base64EncodedString()
        let junk = Data("no signature of the tests".utf8).base64EncodedString()
        for (signature, status) in [(good, 200), (good, 401), (junk, 401)] {
            let answer = try await endpoint.ask(
                "/api/v1/captures/\(capture)",
                headers: [
                    ("X-Device-Id", "\(phone.id)"), ("X-Device-Timestamp", request.timestamp),
                    ("X-Device-Signature", signature),
                ])
            #expect(answer.status == status, "\(answer)")
        }
        return [good, junk].compactMap { text in
            text.split(separator: "/" as Character).max { $0.count < $1.count }.map { String($0) }
        }
    }

    /// Logs in with a wrong token and with the operator's, and sends forms without and with their own token.
    /// - Returns: The secrets of the login: its cookie and the token of its forms.
    private func logIn(at url: String) async throws -> [String] {
        func post(_ path: String, _ form: String, cookie: String? = nil) async throws -> HTTPClientResponse {
            var request = HTTPClientRequest(url: url + path)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            if let cookie { request.headers.add(name: "Cookie", value: cookie) }
            request.body = .bytes(ByteBuffer(string: form))
            return try await Stack.execute(request).0
        }
        #expect(try await post("/dashboard/login", "name=alice&token=\(Self.wrong)").status.code == 403)
        let answer = try await post("/dashboard/login", "name=alice&token=\(Self.operation)")
        let cookie = try #require(answer.headers.first(name: "Set-Cookie")).prefix { $0 != ";" }
        var page = HTTPClientRequest(url: url + "/dashboard")
        page.headers.add(name: "Cookie", value: String(cookie))
        let (_, bytes) = try await Stack.execute(page)
        let found = String(buffer: bytes).firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/)
        let token = String(try #require(found).output.1)
        let refused = try await post("/dashboard/logout", "form_token=\(Self.wrong)", cookie: String(cookie))
        #expect(refused.status.code == 403)
        let left = try await post("/dashboard/logout", "form_token=\(token)", cookie: String(cookie))
        #expect(left.status.code == 303)
        return [String(cookie.drop { $0 != "=" }.dropFirst()), token]
    }
}
