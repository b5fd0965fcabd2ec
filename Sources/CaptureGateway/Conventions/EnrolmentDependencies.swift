package import CaptureStore
package import Enrolment

/// What devices enrol with.
package struct EnrolmentDependencies: Sendable {
    /// Invitations and sessions.
    package let store: any EnrolmentStore
    /// What keeps the private halves of transaction keys unreadable where they are stored.
    package let seal: SecretSeal

    /// Memberwise.
    package init(store: any EnrolmentStore, seal: SecretSeal) {
        self.store = store
        self.seal = seal
    }
}
