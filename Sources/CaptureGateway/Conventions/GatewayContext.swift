import Hummingbird
import Logging
import NIOCore

/// What a request carries through middleware and routes.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, for ``askForBody()`` and ``callerHasGone()``.
    let channel: any Channel
    /// The peer of the connection: a client or a proxy.
    let remoteAddress: SocketAddress?
    /// Names the request in answers and logs; see ``RequestIdentity``.
    var requestID: String
    /// The client's address as text, by the rules for trusted proxies.
    ///
    /// Never logged.
    var clientAddress: String
    /// For how long the answer was held back; one for all copies of the context.
    let heldBack = HeldTime()

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
        self.remoteAddress = source.channel.remoteAddress
        self.requestID = ""
        self.clientAddress = source.channel.remoteAddress?.ipAddress ?? "local"
    }
}
