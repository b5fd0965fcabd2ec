import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 connection with a ``ConnectionGuard`` right behind the parser.
struct GuardedHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let http: HTTP1Channel
    let makeGuard: @Sendable () -> ConnectionGuard

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // Still in the channel's initializer: nothing has been read yet.
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(makeGuard(), position: .after(parser))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}

extension HTTPServerBuilder {
    /// Serves HTTP/1.1 with the connection's own rules.
    static func guarded(
        _ configuration: HTTP1Channel.Configuration, _ makeGuard: @escaping @Sendable () -> ConnectionGuard
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            GuardedHTTP1Channel(
                http: HTTP1Channel(responder: responder, configuration: configuration), makeGuard: makeGuard)
        }
    }
}
