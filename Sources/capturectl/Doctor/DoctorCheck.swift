import CaptureOperations

/// One line of the doctor's report.
struct DoctorCheck: Encodable, Sendable {
    /// How it stands.
    enum State: String, Encodable, Sendable {
        /// As it must be.
        case ok
        /// As it may be; worth knowing.
        case note
        /// Not as it must be.
        case problem
        /// Was not as it must be, and is now.
        case repaired
    }

    /// What was looked at.
    let name: String
    /// How it stands.
    var state: State
    /// What was found, in a line.
    var found: String
    /// What that means.
    @OrNull var meaning: String? = nil
    /// What to do about it.
    @OrNull var repair: String? = nil
    /// Up to ten of what is concerned.
    var examples: [String] = []

    /// All is well.
    static func ok(_ name: String, _ found: String) -> DoctorCheck {
        DoctorCheck(name: name, state: .ok, found: found)
    }

    /// Something worth knowing.
    static func note(_ name: String, _ found: String, _ meaning: String) -> DoctorCheck {
        DoctorCheck(name: name, state: .note, found: found, meaning: meaning)
    }

    /// Something that could not be looked at.
    static func notLookedAt(_ name: String, _ why: String) -> DoctorCheck { .note(name, Self.unseen, why) }

    private static let unseen = "not looked at"

    /// Why it could not be looked at; `nil` where it was.
    var whyUnseen: String? { state == .note && found == Self.unseen ? meaning : nil }

    /// Something wrong.
    static func problem(
        _ name: String, _ found: String, _ meaning: String, repair: String, examples: [String] = []
    ) -> DoctorCheck {
        DoctorCheck(
            name: name, state: .problem, found: found, meaning: meaning, repair: repair,
            examples: Array(examples.prefix(10)))
    }
}
