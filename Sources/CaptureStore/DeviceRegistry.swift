public import CaptureModel

/// What becomes of devices after their registration: compromised keys, later attestations, and what they change.
public protocol DeviceRegistry: Sendable {
    /// Notes that a device's key may have been in other hands since a moment, and revokes the device from then on.
    ///
    /// Results from then on are marked when they are read; they are neither changed nor withdrawn. An earlier moment
    /// than the one noted before takes its place, a later one does not. All registrations of the key are meant.
    /// - Returns: What it concerns; `nil` when there is no device of this id.
    func compromise(
        _ device: DeviceID, since moment: Timestamp, at now: Timestamp, reason: String, actor: String
    ) async throws(StoreError) -> NotedCompromise?

    /// What a compromise since a moment would concern: what became of the captures received from then on of every
    /// registration of a device's key, counted up to ``DeviceTally/countMax`` of each kind, without their reasons.
    func tally(ofKeyOf device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally

    /// The verified results of a compromised key since then, by their counters, after the given one.
    func affected(of device: DeviceID, after counter: UInt32, limit: Int) async throws(StoreError) -> [AffectedResult]

    /// Keeps a new attestation of a registered key with its evidence, and what has changed since the one before.
    ///
    /// Counters stay as they are: the new attestation's 0 opens no old assertion again. The new receipt takes the old
    /// one's place and is due. App and environment are those of the registration, and so is the root, unless it is one
    /// that devices may leave: then the device is the new root's from now on.
    /// - Parameter roots: SHA-256 of the roots that no device leaves for the attestation's own.
    func reattest(
        _ attestation: DeviceRegistration, keeping roots: Set<String>, actor: String
    ) async throws(StoreError) -> ReattestationOutcome

    /// The attestations of a device: the registration's, and the latest since.
    func attestations(of device: DeviceID) async throws(StoreError) -> AttestationHistory
}

/// Since when a key may have been in other hands.
public struct Compromise: Sendable, Equatable {
    /// Since when.
    public let since: Timestamp
    /// Why it is thought so.
    public let reason: String
    /// Who noted it.
    public let actor: String

    /// Puts the three together.
    public init(since: Timestamp, reason: String, actor: String) {
        self.since = since
        self.reason = reason
        self.actor = actor
    }
}

/// A compromise that is noted, which nothing takes back.
public struct NotedCompromise: Sendable, Equatable {
    /// How many verified results are affected, counted up to ``DeviceTally/countMax``; `nil` where the record could not
    /// be asked for that any more.
    public let affected: Int?

    /// Notes the number.
    public init(affected: Int?) {
        self.affected = affected
    }
}

/// A verified result of a compromised key.
public struct AffectedResult: Sendable, Equatable {
    /// The capture.
    public let capture: CaptureID
    /// Its counter: the place in the list.
    public let counter: UInt32
    /// When it was received.
    public let receivedAt: Timestamp

    /// Puts the three together.
    public init(capture: CaptureID, counter: UInt32, receivedAt: Timestamp) {
        self.capture = capture
        self.counter = counter
        self.receivedAt = receivedAt
    }
}

/// What an attestation says about a device at its time.
public struct AttestationSummary: Sendable, Equatable {
    /// When it was made.
    public let at: Timestamp
    /// The hardware model as declared then.
    public let model: String
    /// The system's version by the leaf certificate.
    public let osVersion: String?
    /// The app's bundle version, where iOS 27 told it.
    public let bundleVersion: String?
    /// iOS 27's validation category.
    public let validationCategory: Int?

    /// Puts a summary together.
    public init(
        at: Timestamp, model: String, osVersion: String?, bundleVersion: String?, validationCategory: Int?
    ) {
        self.at = at
        self.model = model
        self.osVersion = osVersion
        self.bundleVersion = bundleVersion
        self.validationCategory = validationCategory
    }

    /// What has changed since what was known before: which fact, from what to what.
    ///
    /// A system that names no version is no other system: rollouts go on judging by the one that was named last.
    public func drift(since earlier: AttestationSummary) -> [Drift] {
        let facts: [(Drift.Fact, String?, String?)] = [
            (.model, earlier.model, model), (.osVersion, earlier.osVersion, osVersion ?? earlier.osVersion),
            (.bundleVersion, earlier.bundleVersion, bundleVersion),
            (
                .validationCategory, earlier.validationCategory.map { "\($0)" },
                validationCategory.map { "\($0)" }
            ),
        ]
        return facts.filter { $0.1 != $0.2 }.map { Drift(fact: $0.0, before: $0.1, after: $0.2) }
    }
}

/// One fact about a device that has changed.
public struct Drift: Sendable, Equatable {
    /// Which fact.
    public enum Fact: String, Sendable, CaseIterable {
        /// The hardware model: a key does not move to other hardware.
        case model
        /// The system's version.
        case osVersion = "os_version"
        /// The app's version.
        case bundleVersion = "bundle_version"
        /// The app's validation category.
        case validationCategory = "validation_category"
    }

    /// Which fact.
    public let fact: Fact
    /// What it was.
    public let before: String?
    /// What it is.
    public let after: String?

    /// Puts the three together.
    public init(fact: Fact, before: String?, after: String?) {
        self.fact = fact
        self.before = before
        self.after = after
    }
}

/// What became of a later attestation.
public enum ReattestationOutcome: Sendable, Equatable {
    /// It is kept.
    case kept([Drift])
    /// The device is not registered, with another key, or not by an attestation; or with another app, in the other
    /// environment, or under a root that is kept.
    case notAttested
    /// The device is revoked.
    case revoked
}
