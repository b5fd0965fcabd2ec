/// What distinguishes the links of a client.
struct LinkOptions: Sendable {
    /// Whether a lost connection is made again.
    var reconnects: Bool
    /// Whether a caller's cancellation closes the connection (blocking reads) or only leaves a gap (pipelines).
    var closesOnCancel: Bool
    /// Who hears of the connection's ups and downs.
    var reachability: Reachability
    /// What it and the other links of its client hear of servers that become replicas.
    var demotions: Demotions
}
