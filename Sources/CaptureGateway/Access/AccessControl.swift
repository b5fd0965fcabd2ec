import CaptureModel
import Hummingbird

/// Decides who asks to read: a token's holder or a device ([R-ST-3]).
struct AccessControl: Sendable {
    private let tokens: ReaderTokens
    private let authenticator: DeviceAuthenticator

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        tokens = ReaderTokens(
            readers: configuration.readTokenDigests, operators: configuration.operatorTokenDigests)
        authenticator = DeviceAuthenticator(configuration: configuration, dependencies: dependencies)
    }

    /// The reader behind a request; without credentials that are known it is `UNAUTHORIZED`.
    func reader(of request: Request, body: [UInt8], context: GatewayContext) async throws(APIError) -> Reader {
        if let token = ReaderTokens.token(in: request.headers) {
            guard let reader = tokens.reader(bearing: token) else { throw Self.unauthorized }
            return reader
        }
        guard request.headers[.deviceID] != nil, request.headers[.authorization] == nil else {
            throw Self.unauthorized
        }
        return .device(try await authenticator.device(signing: request.headers, body: body).id)
    }

    /// Lets only holders of tokens pass: what is asked for belongs to no device.
    func requireToken(of request: Request) throws(APIError) {
        if let token = ReaderTokens.token(in: request.headers), tokens.reader(bearing: token) != nil { return }
        if request.headers[.deviceID] != nil, request.headers[.authorization] == nil {
            throw APIError(.forbidden, "devices may not ask for this")
        }
        throw Self.unauthorized
    }

    private static let unauthorized = APIError(.unauthorized, "a known token or a device's signature is needed")
}
