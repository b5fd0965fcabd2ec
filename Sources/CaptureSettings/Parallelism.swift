/// How a worker does work of a kind that a processor may do for several captures at once: hashes and signatures.
package enum Parallelism: String, Sendable, CaseIterable {
    /// For several at once, where the processor can.
    case auto
    /// For one after the other.
    case scalar
}
