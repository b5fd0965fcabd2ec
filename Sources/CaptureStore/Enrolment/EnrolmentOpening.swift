/// The outcome of opening a session with an invitation; nothing has changed unless the session has begun.
package enum EnrolmentOpening: Sendable, Equatable {
    /// The session has begun, and the invitation is used up.
    case begun
    /// The invitation is not open: its standing, or `nil` when there is no such invitation.
    case refused(Invitation.Standing?)
    /// The invitation is open, and a device is registered under the session's device id.
    case registered
}
