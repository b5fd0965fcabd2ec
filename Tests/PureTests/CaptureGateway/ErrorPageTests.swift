import CaptureModel
import CaptureStore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The page of an outage` {
    /// A record that does not answer.
    private struct AwayStore: ForwardingStore {
        let memory: MemoryCaptureStore

        func listDevices(after: DeviceID?, limit: Int) async throws(StoreError) -> [ListedDevice] {
            throw StoreError(.unavailable, "no connection")
        }
    }

    @Test func `the page of an outage names the server, and leads and comes back to what was asked for`() async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.dependencies.outages = Outages(logger: .quiet)
        fixture.dependencies.store = AwayStore(memory: fixture.store)
        try await fixture.run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/devices?x=1")
            #expect(page.status == 503 && page.headers.first(name: "Retry-After") == "2")
            #expect(page.headers.first(name: "Refresh") == "2")
            #expect(page.text.contains("<title>Not now"))
            // By these names a live page finds what it says.
            let words = "PostgreSQL is away: the service is temporarily unavailable."
            #expect(page.text.contains("<span id=\"failure\">\(words)</span> This page asks again by itself.</p>"))
            #expect(page.text.contains(#"<code id="request">"#))
            #expect(page.text.contains(#"href="/dashboard/devices?x=1">Try again</a>"#))
        }
    }

    @Test func `the page of what would be refused again offers no second try, and says why in a sentence`() async throws
    {
        try await GatewayFixture().withOperators().run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/devices/nothing")
            #expect(page.status == 404 && page.headers.first(name: "Refresh") == nil)
            #expect(page.text.contains(">There is no such device.</span></p>") && !page.text.contains("Try again"))
        }
    }

    @Test(arguments: ["dead?order=newest", "devices/6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d?preview=1&reason=x"])
    func `the page of a form that failed leads back to where that is, and to no other site`(from: String) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            func refusal(from page: String) async throws -> String {
                let answer = try await gateway.send(
                    .POST, "/dashboard/login", headers: ["Referer": page, "Content-Encoding": "gzip"],
                    body: Array("token=a".utf8))
                return String(decoding: answer.body, as: UTF8.self)
            }
            let path = "/dashboard/\(from)"
            let back = "href=\"\(path.replacing("&", with: "&amp;"))\">Back</a>"
            #expect(try await refusal(from: gateway.url + path).contains(back))
            let other = try await refusal(from: "http://example.org\(path)")
            #expect(other.contains("To the overview") && !other.contains(">Back<"))
        }
    }

    @Test func `a page says what is wrong in a sentence that names its subject once`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            func words(
                _ method: NIOHTTP1.HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8] = []
            ) async throws -> String {
                let answer = try await gateway.send(method, path, headers: headers, body: body)
                let text = String(decoding: answer.body, as: UTF8.self)
                let failure = try #require(text.firstMatch(of: /<span id="failure">([^<]*)<\/span>/))
                return String(failure.1)
            }
            let large = try await words(
                .POST, "/dashboard/login", body: Array(repeating: UInt8(ascii: "a"), count: 70_000))
            #expect(large == "Body must have at most 65536 bytes.")
            let packed = try await words(
                .POST, "/dashboard/login", headers: ["Content-Encoding": "gzip"], body: Array("token=a".utf8))
            #expect(packed == "The body must not be encoded.")
            let read = try await words(.GET, "/dashboard/login", body: Array("token=a".utf8))
            #expect(read == "Body must be empty: the request only reads.")
        }
    }
}
