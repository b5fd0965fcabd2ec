/// How a `rediss://` connection is secured: always with full verification of chain and host name.
package struct RedisTLS: Sendable, Hashable {
    /// PEM file with the certificate authorities to trust instead of the system's; `nil` for the system's.
    package var rootsFile: String?
    /// PEM file with the client's certificate chain, leaf first; needs ``privateKeyFile``.
    package var certificateFile: String?
    /// PEM file with the client's private key.
    package var privateKeyFile: String?

    /// Names no file.
    package init() {}
}
