package import CaptureOperations
package import CaptureQueue
package import CaptureStore

/// What operators' pages and lists work with.
package struct OperatorDependencies: Sendable {
    /// Acts on the queue and on devices.
    package var desk: OperatorDesk
    /// The captures to page through and to search.
    package var archive: any CaptureArchive
    /// Who has logged in.
    package var sessions: any SessionStore

    /// Memberwise.
    package init(desk: OperatorDesk, archive: any CaptureArchive, sessions: any SessionStore) {
        self.desk = desk
        self.archive = archive
        self.sessions = sessions
    }
}
