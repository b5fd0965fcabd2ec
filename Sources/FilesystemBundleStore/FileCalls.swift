import CaptureModel
import CaptureQueue

/// What a call is about: while one about it runs or hangs, no other is begun.
enum FileSubject: Hashable, Sendable {
    /// The root and its mark.
    case directory
    /// A capture's files.
    case capture(CaptureID)
    /// The removal of captures, by the first of them.
    case removal(of: CaptureID)
    /// A look at the captures of one of the folders.
    case shard(Int)
}

/// Which calls wait, run and hang: no threads and no clock.
struct FileCalls {
    /// A call that waits for its turn.
    struct Call: Sendable {
        let id: Int
        let subject: FileSubject
        /// For a thread, with the call's id.
        let work: @Sendable (Int) -> Void
    }

    private let runningMax: Int
    private let sparesMax: Int
    private let backlogMax: Int
    private var lastID = 0
    private var waiting: [Call] = []
    private var running: [Int: FileSubject] = [:]
    /// Those that were given up and keep their threads.
    private var hanging: [Int: FileSubject] = [:]

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
        _ subject: FileSubject, isPatient: Bool = false, _ work: @escaping @Sendable (Int) -> Void
    ) -> Result<Int, QueueError> {
        guard isPatient || !hanging.values.contains(subject) else { return .failure(Self.unanswered) }
        guard waiting.count + running.count < backlogMax else {
            return .failure(QueueError(.busy, "too many calls wait for the bundle directory"))
        }
        lastID += 1
        waiting.append(Call(id: lastID, subject: subject, work: work))
        return .success(lastID)
    }

    /// The call whose turn it is; it runs from now on.
    ///
    /// Those whose subject is being called about let others pass: they would only take threads to wait on.
    mutating func begin() -> Call? {
        guard !waiting.isEmpty, running.count < runningMax, running.count + hanging.count < runningMax + sparesMax
        else { return nil }
        let busy = Set(running.values).union(hanging.values)
        guard let index = waiting.firstIndex(where: { !busy.contains($0.subject) }) else { return nil }
        let call = waiting.remove(at: index)
        running[call.id] = call.subject
        return call
    }

    /// Gives up a call that has not begun, and tells what it has waited for; `nil` when it has begun.
    mutating func withdraw(_ id: Int) -> QueueError? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        let subject = waiting.remove(at: index).subject
        guard running.values.contains(subject) || hanging.values.contains(subject) else {
            return QueueError(.unavailable, "too much hangs or waits in the bundle directory")
        }
        return Self.unanswered
    }

    private static let unanswered = QueueError(
        .outcomeUnknown, "the bundle directory has not answered an earlier call yet")

    /// Gives up a call that runs; `false` when it is done.
    mutating func giveUp(_ id: Int) -> Bool {
        guard let subject = running.removeValue(forKey: id) else { return false }
        hanging[id] = subject
        return true
    }

    /// Notes that a call is done; `false` when it had been given up.
    mutating func finish(_ id: Int) -> Bool {
        guard hanging.removeValue(forKey: id) == nil else { return false }
        return running.removeValue(forKey: id) != nil
    }
}
