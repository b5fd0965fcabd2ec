package import CaptureModel
package import Crypto
package import DeviceSimulator
package import Hummingbird
package import Logging
package import NIOCore

/// Answers as Apple's servers for receipts and DeviceCheck do, with their statuses, texts and quirks, on this machine.
///
/// ```swift
/// let standIn = AppleStandIn(receipts: issuer, developer: .init(key: key.publicKey, keyID: "ABC123DEFG", …), now: now)
/// try await standIn.application(port: 0) { address in … }.runService()
/// ```
///
/// What Apple tells apart by host names is told apart by paths here: base addresses are `http://host:port/production`
/// and `http://host:port/development`.
package struct AppleStandIn: Sendable {
    /// Whose tokens are taken.
    package struct Developer: Sendable {
        /// The public half of the developer's key.
        package var key: P256.Signing.PublicKey
        /// Apple's name for it.
        package var keyID: String
        /// The team.
        package var teamID: String

        /// Memberwise.
        package init(key: P256.Signing.PublicKey, keyID: String, teamID: String) {
            self.key = key
            self.keyID = keyID
            self.teamID = teamID
        }
    }

    /// What it remembers and is told to do.
    package let memory: StandInMemory
    let receipts: TestReceiptIssuer
    let developer: Developer
    let now: TimeSource

    /// Begins with nothing in its memory.
    package init(receipts: TestReceiptIssuer, developer: Developer, now: @escaping TimeSource) {
        self.receipts = receipts
        self.developer = developer
        self.now = now
        memory = StandInMemory()
    }

    /// The server, on this machine only.
    /// - Parameters:
    ///   - port: The port to listen on; 0 takes a free one.
    ///   - onServerRunning: Told the address once it is bound.
    package func application(
        port: Int, logger: Logger, onServerRunning: @escaping @Sendable (SocketAddress?) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router()
        router.post(RouterPath("/:environment/v1/\(StandInMemory.Service.receipt.path)")) { request, context in
            try await answer(.receipt, request, context) { renew($0, environment: $1, at: now()) }
        }
        for service in [StandInMemory.Service.query, .update, .validate] {
            router.post(RouterPath("/:environment/v1/\(service.path)")) { request, context in
                try await answer(service, request, context) { body, _ in check(body, service, at: now()) }
            }
        }
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { await onServerRunning($0.localAddress) }, logger: logger)
    }

    /// Notes a request, looks at its token, and answers with what was scripted, or else with
    /// what a service makes of it.
    private func answer(
        _ service: StandInMemory.Service, _ request: Request, _ context: some RequestContext,
        _ make: @Sendable ([UInt8], KeyEnvironment) -> StandInAnswer
    ) async throws -> Response {
        let body = try await request.body.collect(upTo: 64 << 10)
        let bytes = Array(body.readableBytesView)
        let authorization = request.headers[.authorization] ?? ""
        let scripted = memory.note(.init(service: service, authorization: authorization, body: bytes))
        if let scripted { return scripted.response }
        guard let environment = context.parameters.get("environment").flatMap(KeyEnvironment.init(rawValue:)) else {
            return StandInAnswer(404).response
        }
        // Receipts are asked for with the bare token, the others as bearers of it.
        let token = service == .receipt ? authorization : String(authorization.dropFirst("Bearer ".count))
        guard service == .receipt || authorization.hasPrefix("Bearer "), takes(token) else {
            return StandInAnswer(401, "Unable to verify authorization token").response
        }
        return make(bytes, environment).response
    }
}
