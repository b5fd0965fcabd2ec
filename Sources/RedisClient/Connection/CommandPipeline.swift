import DequeModule
import NIOCore

/// Decides which command is written next and which command a reply answers; it does no input or output.
///
/// A command is in the backlog until it is written and in flight until its last reply. The server answers in the
/// order of writing, so a reply goes to the oldest command in flight. If a caller no longer waits, its command keeps
/// its place so that the order holds.
struct CommandPipeline<Ticket: Sendable> {
    typealias Pending = PendingCommand<Ticket>

    private(set) var backlog: Deque<Pending> = []
    private(set) var inFlight: Deque<Pending> = []
    /// Replies still to come for the commands in flight.
    private(set) var depth = 0
    private let depthMax: Int

    init(depthMax: Int) {
        self.depthMax = depthMax
    }

    /// Whether no command is in the backlog or in flight.
    var isIdle: Bool { backlog.isEmpty && inFlight.isEmpty }

    /// Takes a command to be written when there is room.
    mutating func accept(_ command: Pending) {
        backlog.append(command)
    }

    /// Moves the next command of the backlog into flight.
    ///
    /// - Returns: What to write now, or `nil` if nothing waits or the pipeline is full. A batch larger than the whole
    ///   pipeline goes alone.
    mutating func nextToWrite(now: NIODeadline) -> Pending.Payload? {
        guard let head = backlog.first, inFlight.isEmpty || depth + head.replyCount <= depthMax else { return nil }
        backlog.removeFirst()
        putInFlight(head, now: now)
        return head.payload
    }

    /// Puts a command in flight past the backlog: the log-in of a new connection.
    mutating func putInFlight(_ command: Pending, now: NIODeadline) {
        var command = command
        command.answerBy = now + command.timeout
        depth += command.replyCount
        inFlight.append(command)
    }

    /// What a reply means.
    enum ReplyAction {
        /// More replies belong to the same commands.
        case wait
        /// The only reply of a command.
        case answer(Pending, RedisValue)
        /// The last of several replies; all are in the command.
        case answerAll(Pending)
        /// No command is in flight.
        case unexpected
    }

    /// Assigns a reply to the oldest command in flight.
    mutating func received(_ reply: RedisValue) -> ReplyAction {
        guard !inFlight.isEmpty else { return .unexpected }
        depth -= 1
        // In place: a copy of the head would copy all its replies again at each further reply.
        let replyCount = inFlight[0].replyCount
        if replyCount == 1 { return .answer(inFlight.removeFirst(), reply) }
        let isRefused = inFlight[0].isOneCommand && reply.error != nil
        inFlight[0].replies.append(reply)
        if isRefused {
            // When one command with several replies (SUBSCRIBE) is refused, the error is its only reply.
            depth -= replyCount - inFlight[0].replies.count
            return .answerAll(inFlight.removeFirst())
        }
        guard inFlight[0].replies.count == replyCount else { return .wait }
        return .answerAll(inFlight.removeFirst())
    }

    /// What became of a cancelled caller's command.
    enum CancelAction {
        /// It had its answer already.
        case none
        /// The command was never written, and is gone.
        case unsent(Pending)
        /// The command is in flight; it keeps its place, and its caller is returned.
        case written(Ticket?)
    }

    /// Gives up on a command.
    mutating func cancel(_ id: UInt64) -> CancelAction {
        if let index = inFlight.firstIndex(where: { $0.id == id }) {
            defer { inFlight[index].ticket = nil }
            return .written(inFlight[index].ticket)
        }
        if let index = backlog.firstIndex(where: { $0.id == id }) {
            return .unsent(backlog.remove(at: index))
        }
        return .none
    }

    /// Removes the commands that were not written in time.
    mutating func takeUnsentExpired(now: NIODeadline) -> [Pending] {
        guard backlog.contains(where: { $0.sendBy <= now }) else { return [] }
        let expired = backlog.filter { $0.sendBy <= now }
        backlog.removeAll { $0.sendBy <= now }
        return Array(expired)
    }

    /// Whether some command in flight should have been answered by now.
    func hasUnansweredExpired(now: NIODeadline) -> Bool {
        inFlight.contains { $0.answerBy <= now }
    }

    /// The earliest deadline of any command.
    var earliestDeadline: NIODeadline? {
        let answer = inFlight.lazy.map(\.answerBy).min()
        let send = backlog.lazy.map(\.sendBy).min()
        return [answer, send].compactMap { $0 }.min()
    }

    /// Removes all commands in flight: the connection is gone.
    mutating func takeInFlight() -> Deque<Pending> {
        depth = 0
        defer { inFlight = [] }
        return inFlight
    }

    /// Empties the backlog: there will be no connection.
    mutating func takeBacklog() -> Deque<Pending> {
        defer { backlog = [] }
        return backlog
    }
}
