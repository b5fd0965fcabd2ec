package import CaptureModel

/// Somebody who has logged in with a token, of which nothing is kept.
package struct LoginSession: Sendable, Equatable {
    /// Shows that a holder of the token began this very session; whoever reads a session has to check it.
    package let proof: [UInt8]
    /// When it is over.
    package let end: Timestamp
    /// What the person is called, for the audit.
    package let name: String

    /// Memberwise.
    package init(proof: [UInt8], end: Timestamp, name: String) {
        self.proof = proof
        self.end = end
        self.name = name
    }
}

/// Where logins are remembered, shared by all gateways; the key is a digest of the cookie, never the cookie itself.
///
/// A store is not believed: somebody else may have written what it answers.
package protocol SessionStore: Sendable {
    /// Remembers a session for its lifetime.
    func begin(_ session: LoginSession, as key: SHA256Digest, lifetime: Duration) async throws(QueueError)

    /// The session of a key; `nil` when there is none or its time is over.
    func session(_ key: SHA256Digest) async throws(QueueError) -> LoginSession?

    /// Forgets a session; nothing happens when there is none.
    func end(_ key: SHA256Digest) async throws(QueueError)
}
