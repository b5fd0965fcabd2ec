/// Where random bits come from: the executables pass the system's, tests their own.
package enum RandomBits {
    /// 64 bits at a time of the system's generator, which is cryptographically secure.
    package static let system: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
}
