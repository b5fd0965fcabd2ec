/// What became of a capture, for good.
public enum Verdict: String, Sendable, CaseIterable, Codable {
    /// Every check that decides has passed.
    case verified
    /// A check that decides has failed; the result names it.
    case rejected
}

/// How much a verified capture's evidence carries.
///
/// Missing evidence lowers it and is never called fraud ([R-VF-7]).
public enum Confidence: String, Sendable, CaseIterable, Comparable, Codable {
    /// The capture was rejected.
    case none
    /// Verified, with warnings or little evidence.
    case low
    /// Verified; the most that an unverified device reaches.
    case medium
    /// Verified on an attested device with every check passed or none against it.
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

/// Where a capture stands ([R-ST-1]).
///
/// `verified` and `rejected` never change. `failed` is left only by an operator's redrive.
public enum CaptureState: String, Sendable, CaseIterable, Codable {
    /// Accepted, waiting in its device's lane.
    case queued
    /// A worker holds its lane.
    case processing
    /// A transient fault put its lane off until later.
    case retrying
    /// Settled: the provenance result says verified.
    case verified
    /// Settled: the provenance result says rejected.
    case rejected
    /// Out of attempts: kept as a dead letter for the operator.
    case failed

    /// Whether the worker is done with it.
    public var isTerminal: Bool {
        switch self {
        case .queued, .processing, .retrying: false
        case .verified, .rejected, .failed: true
        }
    }
}

/// What is known of the device behind a key.
public enum AttestationLevel: String, Sendable, CaseIterable, Codable {
    /// Apple attested that the key lives in a Secure Enclave, down to a configured root.
    case secureEnclave = "secure_enclave"
    /// Nobody vouches for the key.
    case unverified
}

/// The App Attest environment of a key, told by the AAGUID.
public enum AttestEnvironment: String, Sendable, CaseIterable, Codable {
    /// Keys of shipped apps.
    case production
    /// Keys of development builds.
    case development
}

/// When a device's counter is good ([R-VF-3]).
public enum CounterPolicy: Hashable, Sendable, CustomStringConvertible {
    /// Greater than the highest one stored.
    case strict
    /// Never used, and less than this much below the highest: RFC 4303 section 3.4.3, RFC 6479.
    case window(Int)

    /// Reads `strict` or `window(n)` with n from 1 to 65,536.
    public init?(_ text: String) {
        if text == "strict" {
            self = .strict
        } else if text.hasPrefix("window("), text.hasSuffix(")"),
            let size = Int(text.dropFirst(7).dropLast()), (1...65_536).contains(size)
        {
            self = .window(size)
        } else {
            return nil
        }
    }

    /// `strict` or `window(n)`.
    public var description: String {
        switch self {
        case .strict: "strict"
        case .window(let size): "window(\(size))"
        }
    }
}
