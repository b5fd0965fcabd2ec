import AppleDeviceCheck
import AppleStandIn
import CaptureModel
import CaptureProcessing
import Crypto
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Renewing receipts with Apple's server` {
    @Test func `a renewal understands Apple's server in all that it says`() async throws {
        try await withPostgresStore(connections: 8) { store, client async throws in
            let scene = try ReceiptScene(store: store)
            let secret = P256.Signing.PrivateKey()
            let key = try DeveloperKey(key: secret, keyID: "ABC123DEFG", teamID: "TEAM123456")
            let standIn = AppleStandIn(
                receipts: scene.issuer,
                developer: .init(key: secret.publicKey, keyID: "ABC123DEFG", teamID: "TEAM123456")
            ) { [clock = scene.clock] in clock.now }
            _ = try await scene.register()
            _ = try await scene.register(environment: .development)
            let server = AppleServer()
            try await standIn.serving { [clock = scene.clock] address async throws in
                let exchange = AppleReceiptExchange(
                    server: server, tokens: DeveloperTokens(key: key, now: { clock.now }),
                    hosts: .init(production: address("production"), development: address("development")))
                let renewer = try scene.renewer(asking: exchange)
                func next() async throws -> ReceiptOutcome? {
                    try await scene.hurry(client)
                    return try await renewer.renewNext()
                }
                try await withThrowingTaskGroup(of: Void.self) { group async throws in
                    group.addTask { try await server.run() }
                    #expect(try await renewer.renewNext() == .renewed)
                    #expect(try await renewer.renewNext() == .renewed)
                    #expect(try await next() == .notYet)
                    standIn.memory.script([.init(503), .init(429, "", retryAfter: 1), .init(401)])
                    #expect(try await next() == .overloaded)
                    #expect(try await next() == .overloaded)
                    #expect(try await next() == .unauthorized)
                    clock.advance(by: .seconds(86_400))
                    standIn.memory.script([.init(404), .init(200, "no base64!"), .init(200, "AAAA")])
                    #expect(try await next() == .unknown)
                    #expect(try await next() == .overloaded)
                    #expect(try await next() == .rejected)
                    #expect(try await next() == .renewed)
                    standIn.memory.script([.init(400, "Bad Payload")])
                    #expect(try await next() == .refused)
                    group.cancelAll()
                }
            }
        }
    }
}
