/// The version of this software, as results and metrics name it.
package enum ProcessorVersion {
    /// Semantic version.
    package static let current = "0.1.0"
}
