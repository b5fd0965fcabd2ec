/// One thing that was looked at in a capture.
public struct Check: Hashable, Sendable, Codable {
    /// Which one; also the order in which results list them.
    public enum Name: String, Sendable, CaseIterable, Comparable, Codable {
        /// The device's registration, revocation and environment.
        case device
        /// The assertion's structure, app id and signature.
        case assertion
        /// The counter, decided with the settling transaction.
        case counter
        /// The photo is a JPEG within the limits.
        case photoStructure = "photo_structure"
        /// The hash that the metadata declare is the photo's.
        case photoHash = "photo_hash"
        /// The depth map decodes to the dimensions that are declared.
        case depthDecode = "depth_decode"
        /// The depth map shows a real scene.
        case depthPlausibility = "depth_plausibility"
        /// Captured and received times fit.
        case timestamp
        /// Metadata and registration fit.
        case metadata
        /// What Apple's receipts say about the device's risk; only where a threshold is configured.
        case risk
        /// What the app's rollout asks of system and app; only where it is not off.
        case rollout

        /// In the order in which results list them.
        public static func < (left: Name, right: Name) -> Bool { left.place < right.place }

        private var place: Int {
            switch self {
            case .device: 0
            case .assertion: 1
            case .counter: 2
            case .photoStructure: 3
            case .photoHash: 4
            case .depthDecode: 5
            case .depthPlausibility: 6
            case .timestamp: 7
            case .metadata: 8
            case .risk: 9
            case .rollout: 10
            }
        }
    }

    /// How it ended.
    public enum Outcome: String, Sendable, CaseIterable, Codable {
        /// Looked at, and good.
        case pass
        /// Looked at, and not good; the reason says whether that decides or only warns.
        case fail
        /// Not looked at, or not to be told from what is there. Never the same as `fail`.
        case unavailable
    }

    /// Which check.
    public let name: Name
    /// How it ended.
    public let outcome: Outcome
    /// Why, unless it passed.
    public let reason: Reason?

    /// Whether it failed for a reason that rejects nothing.
    package var isWarning: Bool { outcome == .fail && reason.map { !$0.isDecisive } ?? false }

    /// Notes how a check ended.
    public init(_ name: Name, _ outcome: Outcome, _ reason: Reason? = nil) {
        self.name = name
        self.outcome = outcome
        self.reason = reason
    }
}

extension [Check] {
    /// Sorted by ``Check/Name``, as results list them.
    package var inOrder: [Check] { sorted { $0.name < $1.name } }
}
