import CaptureOperations

/// What people call themselves at the login; the audit begins its lines with it.
enum LoginName {
    /// Unicode scalars of a name.
    static let scalarsMax = 64

    /// The visible part of a name; `nil` when that is empty or too long.
    static func visible(_ text: String) -> String? { OperatorWords.visible(text, scalarsMax: scalarsMax) }
}
