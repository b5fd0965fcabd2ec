import CaptureModel

/// Bundles whose earlier rows somebody else holds for longer than a moment: an upload of each has met a conflict alone.
///
/// Whoever repeats such a bundle meets the same conflict again, and the uploads of its group would wait with it each time.
struct HeldBundles {
    /// How long a bundle is refused at once after a conflict: no client needs to try more often.
    static let refusedFor = Duration.seconds(1)
    /// How long a bundle goes in no group with others after a conflict, and groups wait only shortly.
    ///
    /// So only the first conflict delays other uploads, and a row that is held for minutes is tried once a second.
    static let apartFor = Duration.seconds(10)
    /// As many as can conflict one by one within ``apartFor``, each after ``WaitingUploads/shortLockWait``.
    private static let countMax = 512

    /// When each conflicted last.
    private var conflicts: [SHA256Digest: ContinuousClock.Instant] = [:]
    /// When any group conflicted last.
    private var last: ContinuousClock.Instant?

    /// Notes a conflict of a group of which it is not known yet whose it is.
    mutating func noteConflict(at now: ContinuousClock.Instant) { last = now }

    /// Notes a conflict of a bundle.
    mutating func noteConflict(of bundle: SHA256Digest, at now: ContinuousClock.Instant) {
        last = now
        conflicts = conflicts.filter { now - $0.value < Self.apartFor }
        guard conflicts.count < Self.countMax || conflicts[bundle] != nil else { return }
        conflicts[bundle] = now
    }

    /// Whether there was a conflict a short while ago.
    func hasConflicts(at now: ContinuousClock.Instant) -> Bool { last.map { now - $0 < Self.apartFor } ?? false }

    /// Whether uploads of a bundle are refused at once.
    func refuses(_ bundle: SHA256Digest, at now: ContinuousClock.Instant) -> Bool {
        conflicts[bundle].map { now - $0 < Self.refusedFor } ?? false
    }

    /// Whether uploads of a bundle go alone.
    func setsApart(_ bundle: SHA256Digest, at now: ContinuousClock.Instant) -> Bool {
        conflicts[bundle].map { now - $0 < Self.apartFor } ?? false
    }
}
