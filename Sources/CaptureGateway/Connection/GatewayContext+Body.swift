import HTTPTypes
import Hummingbird

extension GatewayContext {
    /// Tells a client that waits with its body (`Expect: 100-continue`) that the route has no objection so far.
    func askForBody(of request: Request) {
        guard request.headers[.expect] != nil else { return }
        channel.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(), promise: nil)
    }
}
