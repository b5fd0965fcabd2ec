import RedisClient

extension RedisError {
    /// The stream or its consumer group is gone: a flush, a failover, a restart without data.
    ///
    /// A read that waits is told so by `UNBLOCKED`, which also says that the server has become a replica.
    var isMissingGroup: Bool {
        switch serverPrefix {
        case "NOGROUP": true
        case "UNBLOCKED": !message.contains("instance state changed")
        default: false
        }
    }
}
