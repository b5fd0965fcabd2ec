import ConnectionFault
import NIOPosix

extension RedisError {
    /// What a connection that did not come about, or broke, leaves to tell.
    init(connecting error: any Error, to address: RedisConfiguration.Address? = nil) {
        if let error = error as? RedisError {
            self = error
        } else if let cause = (error as? NIOConnectionError)?.connectionErrors.last?.error as? RedisError {
            // Its channel could not be set up.
            self.init(.connection, cause.message)
        } else {
            self.init(.connection, ConnectionFault.reason(of: error, host: address?.description))
        }
    }
}
