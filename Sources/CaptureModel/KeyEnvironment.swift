/// The App Attest environment of a key, told by the AAGUID.
public enum KeyEnvironment: String, Sendable, CaseIterable, Codable {
    /// Keys of shipped apps.
    case production
    /// Keys of development builds.
    case development
}
