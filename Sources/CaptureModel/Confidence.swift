/// How much a verified capture's evidence proves.
///
/// Missing evidence lowers it and is never called fraud.
public enum Confidence: String, Sendable, CaseIterable, Comparable, Codable {
    /// The capture was rejected.
    case none
    /// Verified, with warnings or little evidence.
    case low
    /// Verified; the most that an unverified device reaches.
    case medium
    /// Verified on an attested device, with no warning and no evidence missing.
    case high

    /// By how much they carry.
    public static func < (left: Confidence, right: Confidence) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .low: 1
        case .medium: 2
        case .high: 3
        }
    }
}
