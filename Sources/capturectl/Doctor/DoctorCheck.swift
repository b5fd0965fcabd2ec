import CaptureModel

/// One line of the doctor's report.
struct DoctorCheck: Encodable, Sendable {
    /// How it stands.
    enum State: String, Encodable, Sendable {
        /// All is well.
        case ok
        /// Acceptable, but worth knowing.
        case note
        /// Something is wrong.
        case problem
        /// Something was wrong, and is repaired.
        case repaired
    }

    /// What was looked at: the code of the check, one of ``DoctorReport/order``.
    let name: String
    /// How it stands.
    var state: State
    /// What was found, in a line.
    var found: String
    /// What that means.
    @OrNull var meaning: String? = nil
    /// What to do about it.
    @OrNull var repair: String? = nil
    /// Up to ``examplesMax`` examples.
    var examples: [String] = []

    /// How many examples a line has at most.
    static let examplesMax = 10

    /// All is well.
    static func ok(_ name: String, _ found: String) -> DoctorCheck {
        DoctorCheck(name: name, state: .ok, found: found)
    }

    /// Something worth knowing.
    static func note(
        _ name: String, _ found: String, _ meaning: String, repair: String? = nil, examples: [String] = []
    ) -> DoctorCheck {
        DoctorCheck(
            name: name, state: .note, found: found, meaning: meaning, repair: repair,
            examples: Array(examples.prefix(examplesMax)))
    }

    /// A check that could not be made.
    static func notLookedAt(_ name: String, _ why: String) -> DoctorCheck { .note(name, Self.unseen, why) }

    private static let unseen = "not looked at"

    /// Why the check could not be made; `nil` if it was.
    var whyUnseen: String? { state == .note && found == Self.unseen ? meaning : nil }

    /// Something wrong.
    static func problem(
        _ name: String, _ found: String, _ meaning: String, repair: String, examples: [String] = []
    ) -> DoctorCheck {
        DoctorCheck(
            name: name, state: .problem, found: found, meaning: meaning, repair: repair,
            examples: Array(examples.prefix(examplesMax)))
    }
}
