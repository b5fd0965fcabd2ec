import CaptureOperations

/// What people call themselves at the login; the audit begins its lines with it.
enum LoginName {
    /// Unicode scalars of a name.
    static let scalarsMax = 64

    /// What of a name can be seen; `nil` when that is nothing, or more than a name may have.
    static func visible(_ text: String) -> String? { OperatorWords.visible(text, scalarsMax: scalarsMax) }
}
