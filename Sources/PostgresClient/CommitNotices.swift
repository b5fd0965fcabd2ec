import CLibPQ

/// What a session's notices say: whether a commit has stopped to wait for a synchronous standby.
///
/// When somebody cancels such a wait, the server answers as if all were well, and only its warning says that the standby
/// may lack the commit: PostgreSQL manual, "synchronous_commit" and `SyncRepWaitForLSN`. All other notices are dropped, as
/// libpq would write them to standard error.
@safe final class CommitNotices {
    /// Given to libpq's callback, which sets it on the thread that reads the session's answers.
    private let isWithoutStandby = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

    init() { unsafe isWithoutStandby.initialize(to: false) }

    deinit { unsafe isWithoutStandby.deallocate() }

    /// Listens to a session, which must end before this object does.
    func listen(to connection: OpaquePointer) {
        let receiver: PQnoticeReceiver = { flag, notice in
            // The routine, as the message is translated.
            guard unsafe LibPQResult.field("R", of: notice) == "SyncRepWaitForLSN" else { return }
            unsafe flag?.assumingMemoryBound(to: Bool.self).pointee = true
        }
        _ = unsafe PQsetNoticeReceiver(connection, receiver, isWithoutStandby)
    }

    /// Whether a commit's wait for its standby was cancelled since this was asked last.
    func takeIsWithoutStandby() -> Bool {
        defer { unsafe isWithoutStandby.pointee = false }
        return unsafe isWithoutStandby.pointee
    }
}
