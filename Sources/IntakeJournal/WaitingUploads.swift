import Bisection
import CaptureModel
import CaptureStore

/// The uploads that wait for their commit, and the group whose turn it is: it only decides, ``IntakeJournal`` acts.
///
/// New uploads and the parts of divided groups take turns. So a new upload waits for one part at the most, however many
/// parts there are.
///
/// An upload whose bundle is held goes alone, as a part does. Uploads of which only the bundle digests count are in no
/// group with others.
struct WaitingUploads {
    /// One upload.
    struct Upload {
        typealias Continuation = CheckedContinuation<Result<IntakeOutcome, StoreError>, Never>

        let number: Int
        let submission: CaptureSubmission
        /// Whether only its bundle digest counts.
        let isByDigestAlone: Bool
        let continuation: Continuation
    }

    /// How long a group waits for a row that the wait of another group has shown to be held.
    ///
    /// Enough for a lock that is about to go. Half a dozen such waits find the culprit in a group of the usual size.
    static let shortLockWait = Duration.milliseconds(20)

    private var lastNumber = 0
    /// Uploads that were in no group yet.
    private var backlog: [Upload] = []
    /// The parts of divided groups, the oldest first.
    private var parts: [[Upload]] = []
    /// Uploads that are being written.
    private var group: [Upload] = []
    /// Whether the last group was of new uploads.
    private var isPartNext = false
    private var held = HeldBundles()

    /// How many uploads wait for their group.
    var count: Int { parts.reduce(backlog.count) { $0 + $1.count } }

    /// Whether an upload of a bundle is to be refused at once, as another one has just met a conflict.
    func refuses(_ bundle: SHA256Digest, at now: ContinuousClock.Instant) -> Bool { held.refuses(bundle, at: now) }

    /// Adds an upload and returns its number.
    mutating func add(
        _ submission: CaptureSubmission, byDigestAlone: Bool, _ continuation: Upload.Continuation,
        at now: ContinuousClock.Instant
    ) -> Int {
        lastNumber += 1
        let upload = Upload(
            number: lastNumber, submission: submission, isByDigestAlone: byDigestAlone, continuation: continuation)
        if held.setsApart(submission.bundleDigest, at: now) { parts.append([upload]) } else { backlog.append(upload) }
        return lastNumber
    }

    /// Begins the next group; it is empty when no upload waits.
    mutating func beginGroup(atMost groupMax: Int) -> [Upload] {
        if !parts.isEmpty, isPartNext || backlog.isEmpty {
            group = parts.removeFirst()
            isPartNext = false
        } else {
            group = takeAlike(atMost: groupMax)
            isPartNext = true
        }
        return group
    }

    /// Takes the oldest upload out of the backlog, and those with it that are recorded in the same way.
    ///
    /// Those of the other way then have the oldest one, unless there are too many for one group.
    private mutating func takeAlike(atMost groupMax: Int) -> [Upload] {
        guard let first = backlog.first else { return [] }
        var (taken, left): ([Upload], [Upload]) = ([], [])
        for upload in backlog {
            let isTaken = upload.isByDigestAlone == first.isByDigestAlone && taken.count < groupMax
            if isTaken { taken.append(upload) } else { left.append(upload) }
        }
        backlog = left
        return taken
    }

    /// How long the group waits for a row that somebody else is changing; `nil`: as long as such a change takes.
    func lockWait(at now: ContinuousClock.Instant) -> Duration? {
        held.hasConflicts(at: now) ? Self.shortLockWait : nil
    }

    /// Ends the group and returns its uploads, without those that no longer wait.
    mutating func endGroup() -> [Upload] {
        defer { group = [] }
        return group
    }

    /// Divides the group, of which nothing was written: each half becomes a group of its own.
    /// - Parameter conflict: When it has met a conflict, if it has.
    mutating func divideGroup(conflict: ContinuousClock.Instant?) {
        if let conflict { held.noteConflict(at: conflict) }
        let uploads = endGroup()
        parts += uploads[...].halves.filter { !$0.isEmpty }.map { Array($0) }
    }

    /// Notes that an upload has met a conflict alone; takes all others of its bundle out, which would meet the same.
    mutating func noteHeld(_ bundle: SHA256Digest, at now: ContinuousClock.Instant) -> [Upload] {
        held.noteConflict(of: bundle, at: now)
        let others = (backlog + parts.joined()).filter { $0.submission.bundleDigest == bundle }
        for upload in others { _ = remove(upload.number) }
        return others
    }

    /// Takes an upload out, and tells whether it is being written; `nil` when it was answered already.
    mutating func remove(_ number: Int) -> (upload: Upload, isBeingWritten: Bool)? {
        if let upload = Self.remove(number, from: &backlog) { return (upload, false) }
        for index in parts.indices {
            guard let upload = Self.remove(number, from: &parts[index]) else { continue }
            if parts[index].isEmpty { parts.remove(at: index) }
            return (upload, false)
        }
        guard let upload = Self.remove(number, from: &group) else { return nil }
        return (upload, true)
    }

    private static func remove(_ number: Int, from uploads: inout [Upload]) -> Upload? {
        uploads.firstIndex { $0.number == number }.map { uploads.remove(at: $0) }
    }
}
