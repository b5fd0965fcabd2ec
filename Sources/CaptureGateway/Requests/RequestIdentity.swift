import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Gives every request a name and its client's address before anything else happens.
struct RequestIdentity: RouterMiddleware {
    typealias Context = GatewayContext

    let proxies: TrustedProxies
    let random: RandomSource

    @concurrent func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.requestID = Self.accepted(request.headers[.requestID]) ?? Self.made(random)
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request_id"] = .string(context.requestID)
        let peer = context.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        let client = proxies.client(peer: peer, forwardedFor: request.headers[values: .forwardedFor])
        context.clientAddress = client?.limitKey ?? TrustedProxies.withoutAddress
        var response = try await next(request, context)
        response.headers[.requestID] = context.requestID
        // Nothing that is uploaded, or that somebody wrote, becomes a page or a script by being taken for one.
        response.headers[.xContentTypeOptions] = "nosniff"
        // Whatever the answer is: its head alone (RFC 9110 section 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static let bytesMax = 128
    /// The rule of ``accepted(_:)`` as a regular expression.
    static let pattern = "^[A-Za-z0-9._-]{1,\(bytesMax)}$"

    /// 1 to 128 characters of `A-Z a-z 0-9 . _ -`: nothing that could forge a line of a log.
    static func accepted(_ text: String?) -> String? {
        guard let text, (1...bytesMax).contains(text.utf8.count) else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isPlain ? text : nil
    }

    /// A new name of 128 random bits.
    static func made(_ random: RandomSource) -> String { random.hex(words: 2) }
}
