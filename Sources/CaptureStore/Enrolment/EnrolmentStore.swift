package import CaptureModel
package import Enrolment

/// Enrolments, and whether an invitation opens one; every step is one transaction with its note in the audit.
///
/// A session's steps come one after the other, whatever number of requests races: each looks at the session under its
/// lock. Whoever knows a session may go on with it: it is kept under its digest, and the audit names the user.
package protocol EnrolmentStore: Sendable {
    /// How the invitation of a code stands; `nil` when there is none.
    func standing(of code: SHA256Digest, at now: Timestamp) async throws(StoreError) -> Invitation.Standing?

    /// Uses an invitation up, and keeps the session that it opens, unless its device is registered.
    ///
    /// A caller who did not get the answer may ask once more: if the invitation is used by then, the session is there or
    /// another one was first.
    func begin(
        _ session: EnrolmentSession, invited code: SHA256Digest, at now: Timestamp
    ) async throws(StoreError) -> EnrolmentOpening

    /// Reads a session as it is at one moment; `nil` when there is none of this id.
    func enrolment(_ id: EnrolmentID) async throws(StoreError) -> EnrolmentSession?

    /// Registers the attested device and takes the session on to the password.
    /// - Parameters:
    ///   - challenge: What the attestation answers: used up.
    ///   - registration: The device, under the session's device id.
    func attest(
        _ id: EnrolmentID, answering challenge: [UInt8], as registration: DeviceRegistration
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal>

    /// Uses a session's challenge up for an attestation that was not good.
    func refuseAttestation(
        of id: EnrolmentID, answering challenge: [UInt8], reason: String, at now: Timestamp
    ) async throws(StoreError)

    /// Keeps the password hash, uses its transaction key up, and takes the session on.
    /// - Parameters:
    ///   - deviceKey: The X25519 key that the device has sealed it with.
    func setPassword(
        _ hash: PasswordHash, from deviceKey: [UInt8], of id: EnrolmentID, at now: Timestamp
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal>

    /// Ends the enrolment, unless it has ended before: then it stays with the first completion.
    func finalize(
        _ id: EnrolmentID, with completion: EnrolmentCompletion, at now: Timestamp
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal>

    /// Forgets what nobody needs any more: packages of sessions that are over, and, so long after their end, sessions
    /// that came to nothing, with their keys, and invitations that led to no enrolment.
    /// - Returns: How many rows it has changed, at most `limit` of each kind.
    func purgeEnrolments(expiredFor age: Duration, limit: Int) async throws(StoreError) -> Int
}
