/// A server that the programs cannot do without.
package enum BackingServer: String, Sendable, CaseIterable {
    /// The queue.
    case redis
    /// The record.
    case postgres
    /// The directory of the captures' bytes.
    case bundles

    /// Those that have clocks of their own.
    package static let withClocks: [BackingServer] = [.redis, .postgres]
}
