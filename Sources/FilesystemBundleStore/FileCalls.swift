import CaptureModel
import CaptureQueue

/// What a call is about: while one about it runs or hangs, no other is begun.
enum FileSubject: Hashable, Sendable {
    /// The root and its mark.
    case directory
    /// A capture's files.
    case capture(CaptureID)
    /// A look at the captures of one of the folders.
    case shard(Int)
}

/// What a call is for.
enum FilePurpose: Sendable {
    /// To learn something: whoever is cancelled goes without.
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
        /// For a thread, with the call's id.
        let work: @Sendable (Int) -> Void
    }

    private let runningMax: Int
    private let sparesMax: Int
    private let backlogMax: Int
    private var lastID = 0
    private var waiting: [Call] = []
    private var running: [Int: Begun] = [:]
    /// Those that were given up and keep their threads.
    private var hanging: [Int: Begun] = [:]
    /// Those that run for nobody any more.
    private var deserted: Set<Int> = []

    private struct Begun {
        let subject: FileSubject
        let isWrite: Bool
    }

    /// - Parameters:
    ///   - runningMax: Calls that run at once.
    ///   - sparesMax: Calls that may hang before others have fewer threads for it.
    ///   - backlogMax: Calls that run or wait.
    init(runningMax: Int, sparesMax: Int, backlogMax: Int) {
        self.runningMax = runningMax
        self.sparesMax = sparesMax
        self.backlogMax = backlogMax
    }

    /// Takes a call in, unless one about the same hangs or too many wait; the answer is its id.
    /// - Parameter isPatient: Whether it waits for the one that hangs, instead.
    mutating func enter(
        _ subject: FileSubject, isWrite: Bool = false, isPatient: Bool = false,
        _ work: @escaping @Sendable (Int) -> Void
    ) -> Result<Int, QueueError> {
        guard isPatient || !hanging.values.contains(where: { $0.subject == subject }) else {
            return .failure(Self.unanswered)
        }
        guard waiting.count + running.count < backlogMax else {
            return .failure(QueueError(.busy, "too many calls wait for the bundle directory"))
        }
        lastID += 1
        waiting.append(Call(id: lastID, subject: subject, isWrite: isWrite, work: work))
        return .success(lastID)
    }

    /// The call whose turn it is; it runs from now on.
    ///
    /// Those whose subject is being called about let others pass: they would only take threads to wait on. For writes
    /// there are no spares: each that hangs keeps its bytes, which nothing else counts any more.
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

    /// Gives up a call that has not begun, and tells what it has waited for; `nil` when it has begun.
    mutating func withdraw(_ id: Int) -> QueueError? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        let subject = waiting.remove(at: index).subject
        guard [running.values, hanging.values].joined().contains(where: { $0.subject == subject }) else {
            return QueueError(.unavailable, "too much hangs or waits in the bundle directory")
        }
        return Self.unanswered
    }

    private static let unanswered = QueueError(
        .outcomeUnknown, "the bundle directory has not answered an earlier call yet")

    /// Notes that nobody waits for a call any more; `false` when it is done or was given up.
    ///
    /// One that runs does not hang for that: it may be done in time.
    mutating func desert(_ id: Int) -> Bool {
        if withdraw(id) != nil { return true }
        guard running[id] != nil else { return false }
        return deserted.insert(id).inserted
    }

    /// Gives up a call that runs; `false` when it is done, or nobody waits for it.
    mutating func giveUp(_ id: Int) -> Bool {
        guard let begun = running.removeValue(forKey: id) else { return false }
        hanging[id] = begun
        return deserted.remove(id) == nil
    }

    /// Notes that a call is done; `false` when it had been given up, or nobody waits for it.
    mutating func finish(_ id: Int) -> Bool {
        guard hanging.removeValue(forKey: id) == nil, running.removeValue(forKey: id) != nil else { return false }
        return deserted.remove(id) == nil
    }
}
