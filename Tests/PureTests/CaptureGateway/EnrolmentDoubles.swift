import CaptureModel
import CaptureStore
import Enrolment
import Synchronization
import TestSupport

@testable import CaptureGateway

/// Enrolments in memory, as far as the first two steps and the last one.
///
/// A test says how the second one and a purge go, which answers are lost, and brings a session further by itself.
final class MemoryEnrolmentStore: EnrolmentStore {
    /// A call whose caller is not told what came of it.
    struct Fault: Sendable {
        let code: StoreError.Code
        /// Whether it was done all the same.
        var isDone = false
    }

    private struct State {
        var calls: [EnrolmentStep: Int] = [:]
        var faults: [EnrolmentStep: [Fault]] = [:]
        var registered: Set<DeviceID> = []
        var standings: [SHA256Digest: Invitation.Standing] = [:]
        var sessions: [EnrolmentID: EnrolmentSession] = [:]
        var attested: Result<EnrolmentRefusal?, StoreError> = .success(nil)
        var registrations: [DeviceRegistration] = []
        var refusals: [String] = []
        var found: EnrolmentSession?
        var purges: [Result<Int, StoreError>] = []
    }

    private let state = Mutex(State())
    private let purging = AsyncStream<Duration>.makeStream()

    /// How attestations go from now on that are good.
    ///
    /// - Parameter before: A session as the next request that reads it still finds it.
    func answerAttestations(
        _ outcome: Result<EnrolmentRefusal?, StoreError>, findingFirst before: EnrolmentSession? = nil
    ) {
        state.withLock { state in
            state.attested = outcome
            state.found = before
        }
    }

    /// How a step's next calls fail, one after the other.
    func fail(_ step: EnrolmentStep, with faults: [Fault]) { state.withLock { $0.faults[step] = faults } }

    /// How often a step was asked for.
    func calls(_ step: EnrolmentStep) -> Int { state.withLock { $0.calls[step, default: 0] } }

    /// Has a device of this id registered by somebody.
    func register(_ device: DeviceID) { state.withLock { _ = $0.registered.insert(device) } }

    /// How purges go, one after the other; the ones after these find nothing.
    func answerPurges(_ outcomes: [Result<Int, StoreError>]) { state.withLock { $0.purges = outcomes } }

    /// The ages of the purges, as they come.
    var purges: AsyncStream<Duration> { purging.stream }

    /// The devices whose attestations were good, whatever became of them.
    var registrations: [DeviceRegistration] { state.withLock { $0.registrations } }

    /// Why attestations were refused.
    var refusals: [String] { state.withLock { $0.refusals } }

    func invite(code: InvitationCode, _ standing: Invitation.Standing) {
        state.withLock { $0.standings[code.digest] = standing }
    }

    func standing(of code: SHA256Digest, at now: Timestamp) -> Invitation.Standing? {
        state.withLock { $0.standings[code] }
    }

    func begin(
        _ session: EnrolmentSession, invited code: SHA256Digest, at now: Timestamp
    ) throws(StoreError) -> EnrolmentOpening {
        try answer(.start) { () throws(StoreError) -> EnrolmentOpening in
            state.withLock { state -> EnrolmentOpening in
                guard state.standings[code] == .open else { return .refused(state.standings[code]) }
                guard !state.registered.contains(session.device) else { return .registered }
                state.standings[code] = .used
                state.sessions[session.id] = session
                return .begun
            }
        }
    }

    func enrolment(_ id: EnrolmentID) -> EnrolmentSession? {
        state.withLock { state -> EnrolmentSession? in
            defer { state.found = nil }
            return state.found?.id == id ? state.found : state.sessions[id]
        }
    }

    func attest(
        _ id: EnrolmentID, answering challenge: [UInt8], as registration: DeviceRegistration
    ) throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> {
        try answer(.attestation) { () throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> in
            guard let session = enrolment(id) else { return .failure(.unknown) }
            state.withLock { $0.registrations.append(registration) }
            if let refusal = try state.withLock({ $0.attested }).get() { return .failure(refusal) }
            return .success(keep(session, in: .passwordRequired, deviceKey: nil))
        }
    }

    func refuseAttestation(of id: EnrolmentID, answering challenge: [UInt8], reason: String, at now: Timestamp) {
        state.withLock { $0.refusals.append(reason) }
    }

    func setPassword(
        _ hash: PasswordHash, from deviceKey: [UInt8], of id: EnrolmentID, at now: Timestamp
    ) -> Result<EnrolmentSession, EnrolmentRefusal> { .failure(.wrongStep(expected: .attestation)) }

    func finalize(
        _ id: EnrolmentID, with completion: EnrolmentCompletion, at now: Timestamp
    ) throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> {
        try answer(.finalize) { () throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> in
            guard let session = enrolment(id) else { return .failure(.unknown) }
            if let refusal = session.refusal(of: .finalize, at: now) { return .failure(refusal) }
            guard session.state != .enrolled else { return .success(session) }
            return .success(keep(session, in: .enrolled, deviceKey: session.deviceKey, package: completion.package))
        }
    }

    /// Brings a session to a state, whatever comes before it.
    @discardableResult
    func keep(
        _ session: EnrolmentSession, in state: EnrolmentState, deviceKey: [UInt8]?, package: [UInt8]? = nil
    ) -> EnrolmentSession {
        let kept = EnrolmentSession(
            id: session.id, user: session.user, device: session.device, state: state, expiresAt: session.expiresAt,
            challenge: nil, deviceKey: deviceKey, keys: session.keys, package: package)
        self.state.withLock { $0.sessions[kept.id] = kept }
        return kept
    }

    /// Does what is asked unless the step's next fault comes before it, and answers unless that comes after it.
    private func answer<Value>(
        _ step: EnrolmentStep, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let fault = state.withLock { state -> Fault? in
            state.calls[step, default: 0] += 1
            guard let faults = state.faults[step], !faults.isEmpty else { return nil }
            return state.faults[step]?.removeFirst()
        }
        if let fault, !fault.isDone { throw StoreError(fault.code, "away") }
        let value = try body()
        if let fault { throw StoreError(fault.code, "the answer was lost") }
        return value
    }

    func purgeEnrolments(expiredFor age: Duration, limit: Int) throws(StoreError) -> Int {
        purging.continuation.yield(age)
        return try state.withLock { $0.purges.isEmpty ? .success(0) : $0.purges.removeFirst() }.get()
    }
}
