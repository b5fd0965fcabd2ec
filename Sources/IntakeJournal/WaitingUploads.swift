import Bisection
import CaptureModel
import CaptureStore

/// The uploads that wait for their commit, and the group whose turn it is: it only decides, ``IntakeJournal`` acts.
///
/// New uploads and the parts of divided groups take turns. So a new upload waits for one part at the most, however many
/// parts there are.
struct WaitingUploads {
    /// One upload.
    struct Upload {
        let number: Int
        let submission: CaptureSubmission
        let continuation: CheckedContinuation<Result<IntakeOutcome, StoreError>, Never>
    }

    private var lastNumber = 0
    /// Uploads that were in no group yet.
    private var backlog: [Upload] = []
    /// The parts of divided groups, the oldest first.
    private var parts: [[Upload]] = []
    /// Uploads that are being written.
    private var group: [Upload] = []
    /// Whether the last group was of new uploads.
    private var isPartNext = false

    /// How many uploads wait for their group.
    var count: Int { parts.reduce(backlog.count) { $0 + $1.count } }

    /// Adds an upload and returns its number.
    mutating func add(
        _ submission: CaptureSubmission, _ continuation: CheckedContinuation<Result<IntakeOutcome, StoreError>, Never>
    ) -> Int {
        lastNumber += 1
        backlog.append(Upload(number: lastNumber, submission: submission, continuation: continuation))
        return lastNumber
    }

    /// Begins the next group; it is empty when no upload waits.
    mutating func beginGroup(atMost groupMax: Int) -> [Upload] {
        if !parts.isEmpty, isPartNext || backlog.isEmpty {
            group = parts.removeFirst()
            isPartNext = false
        } else {
            group = Array(backlog.prefix(groupMax))
            backlog.removeFirst(group.count)
            isPartNext = true
        }
        return group
    }

    /// Ends the group and returns its uploads, without those that no longer wait.
    mutating func endGroup() -> [Upload] {
        defer { group = [] }
        return group
    }

    /// Divides the group, of which nothing was written: each half becomes a group of its own.
    mutating func divideGroup() {
        let uploads = endGroup()
        parts += uploads[...].halves.filter { !$0.isEmpty }.map { Array($0) }
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
