import AsyncHTTPClient
import CaptureModel
import FoundationEssentials
import HTTPTypes
import NIOHTTP1
import Observability
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Requests to the gateway` {
    @Test func `a request id is taken over when it fits, else made, and always answered`() async throws {
        try await GatewayFixture().run { gateway in
            let taken = try await gateway.send(.GET, "/healthz", headers: ["X-Request-Id": "a.B_9-z"])
            #expect(taken.headers.first(name: "X-Request-Id") == "a.B_9-z")
            #expect(taken.json["meta"]["request_id"] == "a.B_9-z")
            for bad in ["has space", "ümlaut", String(repeating: "x", count: 129), "a;b"] {
                let made = try await gateway.send(.GET, "/nowhere", headers: ["X-Request-Id": bad])
                let id = try #require(made.headers.first(name: "X-Request-Id"))
                #expect(id != bad && id.count == 32 && made.json["meta"]["request_id"].string == id)
            }
        }
    }

    @Test func `unknown routes are 404, known ones by another method 405 with Allow`() async throws {
        try await GatewayFixture().run { gateway in
            let empty = ["/metrics/", "//metrics", "/healthz/"]
            for path in ["/", "/api", "/api/v1/device", "/%00", "/api/v1/captures/a/b/c"] + empty {
                let answer = try await gateway.get(path)
                #expect(answer.status == 404 && answer.code == "NOT_FOUND")
            }
            let wrong = try await gateway.send(.DELETE, "/api/v1/devices/challenge")
            #expect(wrong.status == 405 && wrong.code == "METHOD_NOT_ALLOWED")
            #expect(wrong.headers.first(name: "Allow") == "GET, HEAD")
            let body = try await gateway.send(.PUT, "/nowhere", body: Array(repeating: 1, count: 2_000_000))
            #expect(body.status == 404)
            #expect(try await gateway.get("/healthz").status == 200)
        }
    }

    @Test(arguments: ["/healthz", "/readyz", "/openapi.json", "/api/v1/queue", "/nowhere"])
    func `HEAD answers like GET, without the body`(path: String) async throws {
        try await GatewayFixture().run { gateway in
            let get = try await gateway.get(path)
            let head = try await gateway.send(.HEAD, path)
            #expect(head.status == get.status && head.body.isEmpty)
            #expect(head.headers.first(name: "Content-Type") == get.headers.first(name: "Content-Type"))
            #expect(try await gateway.get("/healthz").status == 200)
        }
    }

    @Test func `challenges are limited per client and come back after the window`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            var seen: Set<[UInt8]> = []
            for _ in 0..<10 { seen.insert(try await gateway.challenge()) }
            #expect(seen.count == 10 && seen.allSatisfy { $0.count == 32 })
            let limited = try await gateway.send(
                .GET, "/api/v1/devices/challenge", headers: ["X-Forwarded-For": "192.0.2.7"])
            #expect(limited.status == 429 && limited.code == "RATE_LIMITED")
            #expect(limited.headers.first(name: "Retry-After") == "60")
            fixture.time.advance(by: .seconds(60))
            let again = try await gateway.get("/api/v1/devices/challenge")
            #expect(again.status == 200)
            #expect(again.data["expires_at"].string == fixture.time.now.advanced(by: .seconds(300)).rfc3339)
        }
    }

    @Test func `a trusted proxy's clients are limited one by one`() async throws {
        var fixture = try GatewayFixture()
        fixture.configuration.connections.trustedProxies = ["127.0.0.0/8"]
        fixture.configuration.rates.challengeLimit = 1
        try await fixture.run { gateway in
            let expected = [("192.0.2.1", 200), ("192.0.2.1", 429), ("192.0.2.9, 192.0.2.1", 429), ("192.0.2.2", 200)]
            for (client, status) in expected {
                let answer = try await gateway.send(
                    .GET, "/api/v1/devices/challenge", headers: ["X-Forwarded-For": client])
                #expect(answer.status == status)
            }
        }
    }

    @Test(arguments: [
        ("10.0.0.1", ["1.2.3.4"], "1.2.3.4"), ("10.0.0.1", ["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
        ("10.0.0.1", ["6.6.6.6", "1.2.3.4, 10.2.0.1"], "1.2.3.4"), ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["junk"], "10.0.0.1"), ("10.0.0.1", ["x\u{600}, 1.2.3.4"], "1.2.3.4"),
        ("10.0.0.1", ["1.2.3.4, junk"], "10.0.0.1"),
        ("9.9.9.9", ["1.2.3.4"], "9.9.9.9"), ("10.0.0.1", ["1.2.3.4:4711"], "1.2.3.4"),
        ("10.0.0.1", ["[2001:db8::1]:80"], "2001:db8::1"), ("fd00::5", ["2001:db8::2"], "2001:db8::2"),
        ("::ffff:10.0.0.1", ["1.2.3.4"], "1.2.3.4"), ("10.0.0.1", ["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
    ])
    func `the client is the right-most hop that is no trusted proxy`(
        peer: String, forwarded: [String], client: String
    ) {
        let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8"])
        #expect(proxies.client(peer: IPAddress(peer), forwardedFor: forwarded) == IPAddress(client))
    }

    @Test(arguments: [
        "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "+1.2.3.4", "", ":", ":::", "1::2::3", "12345::", "g::",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1.2.3.4:80", "::1.2.3.4.5",
    ])
    func `what is no address is not read as one`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `networks compare their own bits only`() throws {
        let network = try #require(IPNetwork("192.0.2.128/25"))
        #expect(network.contains(try #require(IPAddress("192.0.2.200"))))
        #expect(!network.contains(try #require(IPAddress("192.0.2.100"))))
        #expect(!network.contains(try #require(IPAddress("::1"))))
        #expect(IPNetwork("::/0")?.contains(try #require(IPAddress("2001:db8::1"))) == true)
        for bad in ["192.0.2.0/33", "x/8", "192.0.2.0/", "192.0.2.0/8/8", "/8"] { #expect(IPNetwork(bad) == nil) }
        #expect(IPAddress("2001:db8:0:1::9")?.limitKey == IPAddress("2001:db8:0:1:ffff::1")?.limitKey)
        #expect(IPAddress("2001:db8:0:1::9")?.limitKey != IPAddress("2001:db8:0:2::9")?.limitKey)
    }

    @Test func `the queue's figures are for tokens only`() async throws {
        try await GatewayFixture().run { gateway in
            let nobody = try await gateway.get("/api/v1/queue")
            #expect(nobody.code == "UNAUTHORIZED" && nobody.message == "a known token is needed")
            let guess = try await gateway.get("/api/v1/queue", token: "guess")
            #expect(guess.code == "UNAUTHORIZED" && guess.message == "the token is not known")
            for path in ["", "/provenance", "/events"] {
                let either = try await gateway.get("/api/v1/captures/01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d\(path)")
                #expect(either.message == "a known token or a device's signature is needed", "\(path)")
            }
            let device = try await gateway.send(.GET, "/api/v1/queue", headers: ["X-Device-Id": "x"])
            #expect(device.status == 403 && device.code == "FORBIDDEN")
            for token in [GatewayFixture.readToken, GatewayFixture.operatorToken] {
                let answer = try await gateway.get("/api/v1/queue", token: token)
                #expect(answer.status == 200 && answer.data["captures"] == .whole(0))
                #expect(answer.data["paused"] == false)
            }
        }
    }

    @Test func `readiness names each server and is answered in time`() async throws {
        var fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let ready = try await gateway.get("/readyz")
            #expect(ready.status == 200 && ready.data["status"] == "ready")
        }
        for hangs in [false, true] {
            fixture.dependencies.queue = AwayQueue(hangs: hangs)
            try await fixture.run { gateway in
                let answer = try await gateway.get("/readyz")
                #expect(answer.status == 503 && answer.data["dependencies"]["redis"] == "down")
                #expect(answer.data["dependencies"]["postgres"] == "up")
                #expect(try await gateway.get("/healthz").status == 200)
            }
        }
    }

    @Test func `a gateway is not ready until the start's checks are over`() async throws {
        var fixture = try GatewayFixture()
        let gate = Latch()
        fixture.dependencies.hasStarted = { gate.isOpen }
        try await fixture.run { gateway in
            let waiting = try await gateway.get("/readyz")
            #expect(waiting.status == 503 && waiting.data["status"] == "starting")
            #expect(waiting.headers.first(name: "Retry-After") == "2")
            gate.open()
            #expect(try await gateway.get("/readyz").status == 200)
        }
    }

    @Test func `metrics are Prometheus's text, with or without the queue`() async throws {
        var fixture = try GatewayFixture()
        fixture.dependencies.queue = AwayQueue()
        try await fixture.run { gateway in
            let answer = try await gateway.get("/metrics")
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "Content-Type") == PrometheusRegistry.contentType)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("capture_challenges_issued_total"))
        }
    }

    @Test func `too many header bytes are refused`() async throws {
        var fixture = try GatewayFixture()
        fixture.configuration.requests.headerBytesMax = 1024
        try await fixture.run { gateway in
            let answer = try await gateway.send(
                .GET, "/healthz", headers: ["X-Filler": String(repeating: "x", count: 4096)])
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR")
        }
    }

    @Test func `a configuration out of range is refused by name`() throws {
        var configuration = try GatewayFixture().configuration
        configuration.connections.trustedProxies = ["10.0.0.0/99"]
        let refusal = ConfigurationError(
            field: .trustedProxies, allowed: "networks such as 10.0.0.0/8 or fd00::/8")
        #expect(throws: refusal) { try configuration.validate() }
    }
}
