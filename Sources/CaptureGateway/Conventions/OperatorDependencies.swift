package import CaptureOperations
package import CaptureQueue
package import CaptureStore

/// What operators' pages and lists work with.
package struct OperatorDependencies: Sendable {
    /// Acts on the queue and on devices.
    package let actions: QueueActions
    /// The captures to page through and to search.
    package let archive: any CaptureArchive
    /// Who has logged in.
    package let sessions: any SessionStore

    /// Memberwise.
    package init(actions: QueueActions, archive: any CaptureArchive, sessions: any SessionStore) {
        self.actions = actions
        self.archive = archive
        self.sessions = sessions
    }
}
