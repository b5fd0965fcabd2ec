import AsyncHTTPClient
import CaptureModel
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import GatewayClient

@Suite(.timeLimit(.minutes(1))) struct `The gateway's client and what is no answer` {
    private let clock = ImmediateClock()

    private func client(_ url: String) -> GatewayClient { .paced(by: clock, url) }

    @Test func `of a gateway that is away is told what became of the connection`() async throws {
        let taken = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(taken.localAddress?.port)
        try await taken.close()
        let http = HTTPClient(configuration: GatewayClient.httpConfiguration)
        await #expect(throws: GatewayError.unreachable("Connection refused")) {
            try await GatewayClient(.init(url: "http://127.0.0.1:\(port)", attemptsMax: 1), http: http).challenge()
        }
        try await http.shutdown()
    }

    @Test func `silence is tried again, and then told`() async throws {
        let url = try await ScriptedGateway.serving([.challenge]) { _, url in url }
        let error = try await HTTPClient.withHTTPClient(configuration: GatewayClient.httpConfiguration) { http in
            let configuration = GatewayClient.Configuration(url: url, attemptsMax: 3, chance: { 1 })
            return await #expect(throws: GatewayError.self) {
                try await GatewayClient(configuration, http: http, clock: clock).challenge()
            }
        }
        guard case .unreachable = error else { throw Unexpected() }
        #expect(clock.slept == [.milliseconds(250), .milliseconds(500)])
    }

    @Test func `what is no answer of a gateway is said to be none`() async throws {
        let page = ScriptedGateway.Answer(status: .badGateway, body: "<html>")
        let junk = ScriptedGateway.Answer(status: .ok, body: "<html>")
        let empty = ScriptedGateway.Answer(status: .ok, body: "{}")
        for (answer, malformed) in [(page, false), (junk, true), (empty, true)] {
            let error = await #expect(throws: GatewayError.self) {
                try await ScriptedGateway.serving([answer]) { _, url in try await client(url).challenge() }
            }
            switch error {
            case .malformedAnswer: #expect(malformed)
            case .refused(let refusal): #expect(!malformed && refusal.code == "HTTP_502")
            default: throw Unexpected()
            }
        }
    }

    /// Of four files, a message alone does not tell which one to mend.
    @Test(arguments: [
        (#"{"field": "photo"}"#, " (field photo)"),
        (#"{"field": "metadata", "reason": "METADATA_MALFORMED"}"#, " (field metadata, reason METADATA_MALFORMED)"),
        (#"{"field": "assertion", "reason": "VALIDATION_ERROR"}"#, " (field assertion)"),
        (#"{"reason": "SEAL_INVALID"}"#, " (reason SEAL_INVALID)"), ("{}", ""),
    ])
    func `a refusal is told with the field and the reason that its details name`(
        details: String, told: String
    ) async throws {
        let no = ScriptedGateway.Answer(status: .badRequest, body: refusalBody("VALIDATION_ERROR", details: details))
        let error = await #expect(throws: GatewayError.self) {
            try await ScriptedGateway.serving([no]) { _, url in try await client(url).challenge() }
        }
        #expect(error?.description == "refused with 400 VALIDATION_ERROR: no\(told)")
    }

    @Test func `an address that is none is not tried again`() async throws {
        await #expect(throws: GatewayError.malformedAddress) { try await client("localhost:8080").challenge() }
        #expect(clock.slept == [])
    }

    @Test func `a request that cannot be signed is told with the reason`() async throws {
        struct LockedKey: Error, CustomStringConvertible {
            let description = "the key is locked"
        }
        let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        let error = await #expect(throws: GatewayError.self) {
            try await client("http://127.0.0.1:1").status(id) { _ in throw LockedKey() }
        }
        #expect(error?.description == "the request could not be signed: the key is locked")
        #expect(clock.slept == [])
    }

    @Test func `a request that cannot be written is not told as an answer`() {
        #expect(throws: GatewayError.unwritable) { try GatewayClient.json([Double.infinity]) }
    }

    @Test func `an answer that stops after its head is silence`() async throws {
        let stalled = ScriptedGateway.Answer(
            status: .ok, body: String(repeating: " ", count: 100), isHeadOnly: true)
        try await ScriptedGateway.serving([stalled]) { _, url in
            let configuration = GatewayClient.Configuration(
                url: url, requestTimeout: .milliseconds(200), attemptsMax: 1)
            let impatient = GatewayClient(configuration, http: HTTPClient.shared, clock: clock)
            let error = await #expect(throws: GatewayError.self) { try await impatient.challenge() }
            guard case .unreachable = error else { throw Unexpected() }
        }
    }

    @Test func `a status of a newer gateway is not said to be missing`() async throws {
        let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        let newer = ScriptedGateway.Answer(
            status: .ok, body: #"{"data": {"capture_id": "\#(id)", "status": "archived"}, "meta": {}}"#)
        try await ScriptedGateway.serving([newer]) { _, url in
            _ = await #expect(throws: GatewayError.malformedAnswer("a status that this version does not know")) {
                try await client(url).status(id) { _ in .token("t") }
            }
        }
    }
}
