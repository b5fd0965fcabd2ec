import BoundedHTTP
import NIOCore

extension GatewayContext {
    /// Has the body read to its end: the route has no objection so far, and has memory for it.
    ///
    /// A client that waits with it (`Expect: 100-continue`) is told to send it.
    func askForBody() {
        channel.triggerUserOutboundEvent(BodyWanted(), promise: nil)
    }
}
