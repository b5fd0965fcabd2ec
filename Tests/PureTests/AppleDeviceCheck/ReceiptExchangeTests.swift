import AppleDeviceCheck
import CaptureModel
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Exchanging a receipt` {
    private static let receipt: [UInt8] = Array(repeating: 0x30, count: 300)

    /// Asks a server that gives one answer, and tells what was asked.
    private func ask(
        _ answer: ScriptedGateway.Answer, _ environment: KeyEnvironment = .production
    ) async throws -> (ReceiptAnswer, ScriptedGateway.Asked) {
        try await ScriptedGateway.serving([answer]) { gateway, url in
            let answer = try await exchange(at: url, environment)
            return (answer, try #require(gateway.asked.first))
        }
    }

    private func exchange(
        at url: String, _ environment: KeyEnvironment, limits: AppleServer.Limits = .init(),
        tokens: DeveloperTokens? = nil
    ) async throws -> ReceiptAnswer {
        let key = try DeveloperKey(key: P256.Signing.PrivateKey(), keyID: "ABC123DEFG", teamID: "TEAM123456")
        let server = AppleServer(limits: limits)
        let exchange = AppleReceiptExchange(
            server: server, tokens: tokens ?? DeveloperTokens(key: key, now: { Timestamp(millisecondsSince1970: 1) }),
            hosts: .init(production: "\(url)/production", development: "\(url)/development"))
        return await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let answer = await exchange.exchange(Self.receipt, environment: environment)
            group.cancelAll()
            return answer
        }
    }

    @Test(arguments: [
        (304, ReceiptAnswer.notYet), (400, .refused), (401, .unauthorized), (404, .unknown),
        (429, .overloaded(status: 429, retryAfter: .seconds(7))),
        (500, .overloaded(status: 500, retryAfter: .seconds(7))),
        (503, .overloaded(status: 503, retryAfter: .seconds(7))),
        (204, .unexpected(status: 204)), (301, .unexpected(status: 301)), (403, .unexpected(status: 403)),
    ])
    func `an exchange tells every status for what it means`(_ status: Int, _ meaning: ReceiptAnswer) async throws {
        let headers: HTTPHeaders = ["Retry-After": "7", "Location": "http://127.0.0.1:1/"]
        let body = status == 304 || status == 204 ? "" : "text"
        let (answer, _) = try await ask(.init(status: .init(statusCode: status), headers: headers, body: body))
        #expect(answer == meaning)
    }

    @Test
    func `an exchange sends the receipt as base64 with the bare token, and reads the new one whatever its line ends`()
        async throws
    {
        let fresh = [UInt8](0..<200)
        let text = Data(fresh).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
        let (answer, asked) = try await ask(.init(status: .ok, body: text + "\n"))
        #expect(answer == .renewed(fresh))
        #expect(asked.head.method == .POST && asked.head.uri == "/production/v1/attestationData")
        #expect(Data(base64Encoded: String(buffer: asked.body)) == Data(Self.receipt))
        let token = try #require(asked.head.headers.first(name: "Authorization"))
        #expect(token.split(separator: ".").count == 3 && !token.contains(" "))
    }

    @Test func `an exchange asks each environment at its own address`() async throws {
        let (_, asked) = try await ask(.init(status: .ok, body: "AAAA"), .development)
        #expect(asked.head.uri == "/development/v1/attestationData")
    }

    @Test(arguments: ["", "no base64!", "<html>"])
    func `an exchange takes a body that is no base64 for no receipt`(_ body: String) async throws {
        #expect(try await ask(.init(status: .ok, body: body)).0 == .unexpected(status: 200))
    }

    @Test func `an exchange waits for the whole of an answer, and not only for its head`() async throws {
        var limits = AppleServer.Limits()
        limits.timeout = .milliseconds(200)
        let stalled = ScriptedGateway.Answer(
            status: .ok, body: String(repeating: "A", count: 100), isHeadOnly: true)
        let answer = try await ScriptedGateway.serving([stalled]) { [limits] _, url in
            try await exchange(at: url, .production, limits: limits)
        }
        guard case .unreachable = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    @Test func `an exchange says so when nobody answers`() async throws {
        guard case .unreachable = try await exchange(at: "http://127.0.0.1:1", .production) else {
            Issue.record("nobody listens there")
            return
        }
    }

    @Test func `an exchange without a token asks nobody, which is no refusal of Apple's`() async throws {
        let tokens = DeveloperTokens(now: { Timestamp(millisecondsSince1970: 1) }) { _ throws(DeveloperKey.Fault) in
            throw .signature
        }
        let answer = try await exchange(at: "http://127.0.0.1:1", .production, tokens: tokens)
        #expect(answer == .unreachable("the developer's key makes no token: signature"))
    }

    @Test func `an exchange is made with another token once Apple has refused one`() async throws {
        let time = ManualTime()
        let tokens = DeveloperTokens(now: time.source) { moment throws(DeveloperKey.Fault) in moment.rfc3339 }
        let first = try tokens.token()
        time.advance(by: .seconds(60))
        let answer = try await ScriptedGateway.serving([.init(status: .unauthorized, body: "")]) { _, url in
            try await exchange(at: url, .production, tokens: tokens)
        }
        #expect(answer == .unauthorized)
        #expect(try tokens.token() != first)
    }

    @Test(arguments: [
        (200, ReceiptAnswer.unexpected(status: 200)), (400, .refused), (401, .unauthorized), (404, .unknown),
        (502, .overloaded(status: 502, retryAfter: nil)),
    ])
    func `an exchange tells the status of an answer that is longer than any receipt`(
        _ status: Int, _ meaning: ReceiptAnswer
    ) async throws {
        let long = String(repeating: "A", count: 70_000)
        #expect(try await ask(.init(status: .init(statusCode: status), body: long)).0 == meaning)
    }

    @Test func `an exchange names the host of each environment`() async throws {
        let key = try DeveloperKey(key: P256.Signing.PrivateKey(), keyID: "ABC123DEFG", teamID: "TEAM123456")
        let server = AppleServer()
        let exchange = AppleReceiptExchange(
            server: server, tokens: DeveloperTokens(key: key, now: { Timestamp(millisecondsSince1970: 1) }))
        #expect(exchange.host(of: .production) == "data.appattest.apple.com")
        #expect(exchange.host(of: .development) == "data-development.appattest.apple.com")
        // Nothing else closes it.
        let running = Task { try await server.run() }
        running.cancel()
        try await running.value
    }
}
