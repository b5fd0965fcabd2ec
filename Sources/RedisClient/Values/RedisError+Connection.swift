import ConnectionFault
import NIOPosix

extension RedisError {
    /// The error for a connection that could not be made, or broke.
    init(connecting error: any Error, to address: RedisConfiguration.Address? = nil) {
        if let error = error as? RedisError {
            self = error
        } else if let cause = (error as? NIOConnectionError)?.connectionErrors.last?.error as? RedisError {
            // Its channel could not be set up.
            self.init(.connection, cause.message)
        } else {
            self.init(
                .connection, ConnectionFault.reason(of: error, host: address?.description),
                isOfTLS: ConnectionFault.isOfTLS(error))
        }
    }
}
