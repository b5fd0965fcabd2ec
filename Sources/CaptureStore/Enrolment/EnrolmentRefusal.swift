package import CaptureModel

/// Why a step of an enrolment was not taken; only the changes named here were made.
package enum EnrolmentRefusal: Error, Sendable, Equatable {
    /// There is no such session.
    case unknown
    /// Its time is over.
    case expired
    /// Another step is next.
    case wrongStep(expected: EnrolmentStep)
    /// The challenge was answered before.
    case challengeUsed
    /// The key, or the device's id, is registered already; the challenge is used up.
    case conflict
    /// The device was revoked in the meantime.
    case revoked
}
