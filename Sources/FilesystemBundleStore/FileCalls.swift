import CaptureModel
import CaptureQueue

/// The subject of a call: while one call about it runs or hangs, no other begins.
enum FileSubject: Hashable, Sendable {
    /// The root and its mark.
    case directory
    /// A capture's files.
    case capture(CaptureID)
    /// A listing of the captures in one of the folders.
    case shard(Int)
}

/// The purpose of a call.
enum FilePurpose: Sendable {
    /// To read: a cancelled caller does not wait for it.
    case read
    /// To write bytes, which stay in memory until the system answers.
    case write
    /// To change what is there, with nothing of note in memory.
    case change
}

/// Which calls wait, run and hang: no threads and no clock.
struct FileCalls {
    /// A call that waits for its turn.
    struct Call: Sendable {
        let id: Int
        let subject: FileSubject
        let isWrite: Bool
        /// Run on a thread, with the call's id.
        let work: @Sendable (Int) -> Void
    }

    private let runningMax: Int
    private let sparesMax: Int
    private let backlogMax: Int
    private var lastID = 0
    private var waiting: [Call] = []
    private var running: [Int: Begun] = [:]
    /// Calls that were not done in time and still hold their threads.
    private var hanging: [Int: Begun] = [:]
    /// Calls under way that nobody waits for any more.
    private var deserted: Set<Int> = []

    private struct Begun {
        let subject: FileSubject
        let isWrite: Bool
    }

    /// - Parameters:
    ///   - runningMax: Calls that run at once.
    ///   - sparesMax: Calls that may hang before fewer threads are left for others.
    ///   - backlogMax: Calls that run or wait.
    init(runningMax: Int, sparesMax: Int, backlogMax: Int) {
        self.runningMax = runningMax
        self.sparesMax = sparesMax
        self.backlogMax = backlogMax
    }

    /// Queues a call and returns its id, unless another call about its subject hangs or too many wait.
    /// - Parameter isPatient: Whether it waits behind a hanging call instead of being turned away.
    mutating func enter(
        _ subject: FileSubject, isWrite: Bool = false, isPatient: Bool = false,
        _ work: @escaping @Sendable (Int) -> Void
    ) -> Result<Int, QueueError> {
        guard isPatient || !hanging.values.contains(where: { $0.subject == subject }) else {
            return .failure(Self.unanswered)
        }
        guard waiting.count + running.count < backlogMax else {
            return .failure(QueueError(.busy, "too many calls wait for the bundle directory", of: .bundles))
        }
        lastID += 1
        waiting.append(Call(id: lastID, subject: subject, isWrite: isWrite, work: work))
        return .success(lastID)
    }

    /// Starts the next call whose turn it is, and returns it.
    ///
    /// Calls whose subject is busy are passed over: they would only hold threads while they wait. Writes may not use
    /// the spares: each write that hangs keeps its bytes, which nothing else counts any more.
    mutating func begin() -> Call? {
        guard !waiting.isEmpty, running.count < runningMax, running.count + hanging.count < runningMax + sparesMax
        else { return nil }
        let begun = [running.values, hanging.values].joined()
        let busy = Set(begun.map(\.subject))
        let mayWrite = begun.count { $0.isWrite } < runningMax
        guard let index = waiting.firstIndex(where: { !busy.contains($0.subject) && (mayWrite || !$0.isWrite) })
        else { return nil }
        let call = waiting.remove(at: index)
        running[call.id] = Begun(subject: call.subject, isWrite: call.isWrite)
        return call
    }

    /// Takes back a call that has not begun, and returns what it waited for; `nil` if it has begun.
    mutating func withdraw(_ id: Int) -> QueueError? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        let subject = waiting.remove(at: index).subject
        guard [running.values, hanging.values].joined().contains(where: { $0.subject == subject }) else {
            return QueueError(.unavailable, "too much hangs or waits in the bundle directory", of: .bundles)
        }
        return Self.unanswered
    }

    private static let unanswered = QueueError(
        .outcomeUnknown, "the bundle directory has not answered an earlier call yet", of: .bundles)

    /// Notes that nobody waits for a call any more; `false` if it is done or hangs.
    ///
    /// A call under way does not count as hanging for that: it may still be done in time.
    mutating func desert(_ id: Int) -> Bool {
        if withdraw(id) != nil { return true }
        guard running[id] != nil else { return false }
        return deserted.insert(id).inserted
    }

    /// Counts a call under way as hanging; `false` if it is done, or if nobody waits for it.
    mutating func markHanging(_ id: Int) -> Bool {
        guard let begun = running.removeValue(forKey: id) else { return false }
        hanging[id] = begun
        return deserted.remove(id) == nil
    }

    /// Notes that a call is done; `false` if it counted as hanging, or if nobody waits for it.
    mutating func finish(_ id: Int) -> Bool {
        guard hanging.removeValue(forKey: id) == nil, running.removeValue(forKey: id) != nil else { return false }
        return deserted.remove(id) == nil
    }
}
