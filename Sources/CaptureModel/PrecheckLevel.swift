/// How much of an upload the gateway checks before it queues it, besides form, metadata and binding.
package enum PrecheckLevel: String, Sendable, CaseIterable {
    /// Neither assertion nor photo.
    case none
    /// The assertion's form, that its counter is not 0, its app, and that the photo begins as a JPEG does.
    case structure
    /// All of that, and the assertion's signature.
    case signature
}
