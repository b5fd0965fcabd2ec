/// How much of an upload's assertion the gateway looks at before it queues it.
package enum PrecheckLevel: String, Sendable, CaseIterable {
    /// Sizes and parts only.
    case none
    /// The assertion's structure, the app and the photo's signature as well.
    case structure
    /// The signature as well.
    case signature
}
