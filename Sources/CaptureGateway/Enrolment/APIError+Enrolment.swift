import CaptureModel
import CaptureStore

extension APIError {
    /// Why a step of an enrolment was not taken.
    init(_ refusal: EnrolmentRefusal) {
        switch refusal {
        case .unknown: self.init(.enrolmentUnknown, "there is no such enrolment session")
        case .expired:
            self.init(
                .enrolmentExpired,
                "the enrolment session's time is over; it takes a new invitation and, if a key was attested in it, a new "
                    + "device id and a new App Attest key")
        case .wrongStep(let expected):
            self.init(
                .wrongStep, "the next step of this enrolment is \(expected.nameAsNext)",
                expectedStep: expected.nameAsNext)
        case .challengeUsed:
            self.init(.challengeInvalid, "the session's challenge was answered before; it takes a new invitation")
        case .conflict:
            self.init(
                .conflict,
                "the key or the device's id is registered already; it takes a new invitation, a new device id and a new "
                    + "App Attest key")
        case .revoked: self.init(.deviceRevoked, "the device was revoked")
        }
    }
}
