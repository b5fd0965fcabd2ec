package import CaptureModel
package import Crypto
package import DeviceSimulator
package import Hummingbird
package import Logging
package import NIOCore

/// Stands in for Apple's servers for receipts and DeviceCheck on this machine, with their statuses, texts and quirks.
///
/// ```swift
/// let standIn = AppleStandIn(receipts: issuer, developer: .init(key: key.publicKey, keyID: "ABC123DEFG", …), now: now)
/// try await standIn.application(port: 0, logger: logger) { address in … }.runService()
/// ```
///
/// Apple's environments differ by host name, those of the stand-in by path: base addresses are
/// `http://host:port/production` and `http://host:port/development`.
package struct AppleStandIn: Sendable {
    /// The developer whose tokens are accepted.
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

    /// One request as received.
    package struct Asked: Sendable {
        /// Which service.
        package let service: StandInMemory.Service
        /// The whole `Authorization` field.
        package let authorization: String
        /// The whole body.
        package let body: [UInt8]
    }

    /// The scripted answers, and the state of devices.
    package let memory: StandInMemory
    let receipts: TestReceiptIssuer
    let developer: Developer
    let now: TimeSource
    private let onAsked: @Sendable (Asked) -> Void

    /// Begins with nothing in its memory.
    /// - Parameter onAsked: Told each request, the refused ones as well; they are kept nowhere else.
    package init(
        receipts: TestReceiptIssuer, developer: Developer, now: @escaping TimeSource,
        onAsked: @escaping @Sendable (Asked) -> Void = { _ in }
    ) {
        self.receipts = receipts
        self.developer = developer
        self.now = now
        self.onAsked = onAsked
        memory = StandInMemory()
    }

    /// The server, listening on this machine only.
    /// - Parameters:
    ///   - port: The port to listen on; 0 takes a free one.
    ///   - onServerRunning: Called with the address once it is bound.
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

    /// Gives a request the next scripted answer, or else checks its token and gives the service's.
    private func answer(
        _ service: StandInMemory.Service, _ request: Request, _ context: some RequestContext,
        _ make: @Sendable ([UInt8], KeyEnvironment) -> StandInAnswer
    ) async throws -> Response {
        let body = try await request.body.collect(upTo: 64 << 10)
        let bytes = Array(body.readableBytesView)
        let authorization = request.headers[.authorization] ?? ""
        onAsked(Asked(service: service, authorization: authorization, body: bytes))
        if let scripted = memory.takeAnswer() { return scripted.response }
        guard let environment = context.parameters.get("environment").flatMap(KeyEnvironment.init(rawValue:)) else {
            return StandInAnswer(404).response
        }
        // Requests for receipts have the bare token, the others have it after `Bearer`.
        let token = service == .receipt ? authorization : String(authorization.dropFirst("Bearer ".count))
        guard service == .receipt || authorization.hasPrefix("Bearer "), takes(token) else {
            return StandInAnswer(401, "Unable to verify authorization token").response
        }
        return make(bytes, environment).response
    }
}
