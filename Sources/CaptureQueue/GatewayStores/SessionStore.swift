package import CaptureModel

/// Somebody who has logged in with a token.
package struct LoginSession: Sendable, Equatable {
    /// SHA-256 of the token: the session ends when the configuration no longer knows it.
    package let token: SHA256Digest
    /// What the person is called, for the audit.
    package let name: String

    /// Memberwise.
    package init(token: SHA256Digest, name: String) {
        self.token = token
        self.name = name
    }
}

/// Where logins are remembered, shared by all gateways; the key is a digest of the cookie, never the cookie itself.
package protocol SessionStore: Sendable {
    /// Remembers a session for its lifetime.
    func begin(_ session: LoginSession, as key: SHA256Digest, lifetime: Duration) async throws(QueueError)

    /// The session of a key; `nil` when there is none or its time is over.
    func session(_ key: SHA256Digest) async throws(QueueError) -> LoginSession?

    /// Forgets a session; nothing happens when there is none.
    func end(_ key: SHA256Digest) async throws(QueueError)
}
