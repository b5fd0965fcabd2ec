public import CaptureStore
public import Enrolment

/// What devices enrol with.
public struct EnrolmentDependencies: Sendable {
    /// Invitations and sessions.
    public var store: any EnrolmentStore
    /// What keeps the private halves of transaction keys unreadable where they are stored.
    public var seal: SecretSeal

    /// Memberwise.
    public init(store: any EnrolmentStore, seal: SecretSeal) {
        self.store = store
        self.seal = seal
    }
}
