/// What distinguishes the links of a client.
struct LinkOptions: Sendable {
    /// Whether a lost connection is made again.
    var reconnects: Bool
    /// Whether a caller's cancellation closes the connection (blocking reads) or only leaves a gap (pipelines).
    var closesOnCancel: Bool
    /// Logs when the connection is lost and back.
    var reachability: Reachability
    /// Tells the links of a client that their server has become a replica.
    var demotions: Demotions
}
