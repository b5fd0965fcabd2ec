package import CaptureOperations
package import CaptureQueue
package import CaptureStore

/// What operators' pages and lists work with.
package struct OperatorDependencies: Sendable {
    /// What is done to the queue and to devices.
    package var desk: OperatorDesk
    /// What is paged through and searched.
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
