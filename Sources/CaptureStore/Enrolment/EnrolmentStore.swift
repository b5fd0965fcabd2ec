package import CaptureModel
package import Enrolment

/// Enrolments and the invitations that open them; every step is one transaction together with its audit entry.
///
/// A session's steps come one after the other, however many requests race: each step reads the session under its lock.
/// Whoever knows a session's id may go on with it, so the session is kept under the id's digest, and the audit names
/// the user instead.
package protocol EnrolmentStore: Sendable {
    /// The standing of a code's invitation; `nil` when there is none.
    func standing(of code: SHA256Digest, at now: Timestamp) async throws(StoreError) -> Invitation.Standing?

    /// Uses an invitation up and keeps the session that it opens, unless the session's device is registered.
    ///
    /// A caller who did not get the answer may retry: if the invitation is used by then, either this session exists or
    /// another one was first.
    func begin(
        _ session: EnrolmentSession, invited code: SHA256Digest, at now: Timestamp
    ) async throws(StoreError) -> EnrolmentOpening

    /// Reads a session in one consistent state; `nil` when there is none of this id.
    func enrolment(_ id: EnrolmentID) async throws(StoreError) -> EnrolmentSession?

    /// Registers the attested device and takes the session on to the password.
    /// - Parameters:
    ///   - challenge: The challenge that the attestation answers; it is used up.
    ///   - registration: The device, under the session's device id.
    func attest(
        _ id: EnrolmentID, answering challenge: [UInt8], as registration: DeviceRegistration
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal>

    /// Uses up a session's challenge after a bad attestation.
    func refuseAttestation(
        of id: EnrolmentID, answering challenge: [UInt8], reason: String, at now: Timestamp
    ) async throws(StoreError)

    /// Keeps the password hash, uses its transaction key up, and takes the session on.
    /// - Parameters:
    ///   - deviceKey: The X25519 key with which the device has sealed the hash.
    func setPassword(
        _ hash: PasswordHash, from deviceKey: [UInt8], of id: EnrolmentID, at now: Timestamp
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal>

    /// Ends the enrolment; if it has ended before, the first completion stays.
    func finalize(
        _ id: EnrolmentID, with completion: EnrolmentCompletion, at now: Timestamp
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal>

    /// Deletes data that is no longer needed.
    ///
    /// These are the packages of sessions that are over and, once they have been over for `age`, unfinished sessions
    /// with their keys, and invitations that led to no enrolment.
    /// - Returns: How many rows were changed, at most `limit` of each kind.
    func purgeEnrolments(expiredFor age: Duration, limit: Int) async throws(StoreError) -> Int
}
