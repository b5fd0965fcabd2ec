/// The version of this software, as results and metrics name it.
public enum ProcessorVersion {
    /// Semantic version.
    public static let current = "0.1.0"
}
