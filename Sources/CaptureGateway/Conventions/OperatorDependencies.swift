public import CaptureOperations
public import CaptureQueue
public import CaptureStore

/// What operators' pages and lists work with.
public struct OperatorDependencies: Sendable {
    /// What is done to the queue and to devices.
    public var desk: OperatorDesk
    /// What is paged through and searched.
    public var archive: any CaptureArchive
    /// Who has logged in.
    public var sessions: any SessionStore

    /// Memberwise.
    public init(desk: OperatorDesk, archive: any CaptureArchive, sessions: any SessionStore) {
        self.desk = desk
        self.archive = archive
        self.sessions = sessions
    }
}
