import CaptureQueue
package import RedisClient
import Synchronization
import Waiting

/// How many replicas must have a capture before it counts as accepted.
package struct Replication: Sendable {
    /// A client of its own with a single connection: `WAIT` delays all commands after it.
    package let client: RedisClient
    /// How many replicas (1 to 16).
    package let replicas: Int
    /// How long they may take (10 ms to 60 s).
    package let wait: Duration
    /// How many calls may wait for earlier ones; one more is refused at once.
    package let backlogMax: Int

    /// Memberwise.
    package init(client: RedisClient, replicas: Int, wait: Duration, backlogMax: Int = 1_024) {
        self.client = client
        self.replicas = replicas
        self.wait = wait
        self.backlogMax = backlogMax
    }
}

/// Calls functions, and answers only when replicas have their writes.
///
/// `WAIT` covers the earlier writes of its own connection, so it follows the calls in the same write: on another
/// connection it could reach another server after a failover, which would confirm writes that it never had. The bytes
/// of a capture, stored before on other connections, are covered too: replicas apply one stream of writes in order, so
/// a replica that has the capture has all earlier writes. A capture found as a duplicate is in that stream before the
/// call's own write to the counters.
///
/// Calls that come while others wait for replicas go together with the next `WAIT`, up to ``groupMax`` at once. A call
/// that has waited for one and a half times the limit by then is refused unsent. So a replica that hangs delays each
/// call by less than three times the limit, however many calls there are.
final class ReplicatedCalls: Sendable {
    /// The answer of a function, with its replication.
    struct Answer: Sendable {
        let reply: RedisValue
        /// The error to report when too few replicas confirmed the write; `nil` if enough did.
        let shortfall: QueueError?
    }

    private typealias Reply = Result<Answer, QueueError>

    private struct Waiting {
        let command: RedisCommand
        let since = ContinuousClock.now
        let continuation: CheckedContinuation<Turn, Never>
    }

    private enum Turn {
        /// Send these, the caller's own first.
        case lead([Waiting])
        /// Another caller has sent it.
        case done(Reply)
    }

    /// Where a call stands when it comes.
    private enum Place {
        case first, behind, refused
    }

    private struct State {
        var isSending = false
        var backlog: [Waiting] = []
    }

    /// The most calls of one write: bounds the time that the server is busy with it.
    private static let groupMax = 64

    private let replication: Replication
    private let functions: FunctionCaller
    private let state = Mutex(State())

    init(_ replication: Replication, functions: FunctionCaller) {
        self.replication = replication
        self.functions = FunctionCaller(
            client: replication.client, installs: functions.installs, logger: functions.logger)
    }

    /// Calls one function; the answer says if too few replicas have its writes.
    /// - Throws: `busy` when it was never sent: too many wait, or the calls before it took too long.
    func call(
        _ function: QueueFunction, keys: [String], _ arguments: [RedisArgument]
    ) async throws(QueueError) -> Answer {
        let command = FunctionCaller.command(function, keys: keys, arguments)
        let turn = await withCheckedContinuation { (continuation: CheckedContinuation<Turn, Never>) in
            let own = Waiting(command: command, continuation: continuation)
            let place: Place = state.withLock { state in
                guard state.isSending else {
                    state.isSending = true
                    return .first
                }
                guard state.backlog.count < replication.backlogMax else { return .refused }
                state.backlog.append(own)
                return .behind
            }
            switch place {
            case .first: continuation.resume(returning: .lead([own]))
            case .behind: break
            case .refused:
                let refusal = QueueError(.busy, "not sent: too many uploads wait for the replicas")
                continuation.resume(returning: .done(.failure(refusal)))
            }
        }
        switch turn {
        case .done(let reply): return try reply.get()
        case .lead(let group): return try await lead(group).get()
        }
    }

    /// Sends a group, passes the others their replies, hands the lead on, and returns the first reply.
    private func lead(_ group: [Waiting]) async -> Reply {
        // In a task of its own: cancelling this caller's upload must not cancel the other callers' calls.
        let sending = Task(executorPreference: EventLoopExecutor.shared) { await self.send(group.map(\.command)) }
        let replies = await sending.value
        // Longer than one `WAIT`, so that a call that came at its beginning still goes with the next.
        let deadline = ContinuousClock.now - replication.wait * 1.5
        let (late, next) = state.withLock { state in
            // The backlog is in order of arrival.
            let late = Array(state.backlog.prefix { $0.since < deadline })
            let next = Array(state.backlog.dropFirst(late.count).prefix(Self.groupMax))
            state.backlog.removeFirst(late.count + next.count)
            state.isSending = !next.isEmpty
            return (late, next)
        }
        let refusal = Reply.failure(QueueError(.busy, "not sent: the replicas are behind"))
        for waiting in late { waiting.continuation.resume(returning: .done(refusal)) }
        next.first?.continuation.resume(returning: .lead(next))
        for (waiting, reply) in zip(group, replies).dropFirst() { waiting.continuation.resume(returning: .done(reply)) }
        return replies.first ?? .failure(.malformed("a pipeline"))
    }

    private func send(_ commands: [RedisCommand]) async -> [Reply] {
        do throws(QueueError) {
            let replies = try await functions.callAll(commands, then: waitCommand, within: replication.wait)
            let shortfall = shortfall(replies.last)
            return replies.dropLast().map { reply in
                if let error = reply.error { return .failure(QueueError(RedisError(error))) }
                return .success(Answer(reply: reply, shortfall: shortfall))
            }
        } catch {
            return commands.map { _ in .failure(error) }
        }
    }

    /// The error that an answer to `WAIT` means for the calls before it.
    ///
    /// An error reply counts too: a server that becomes a replica answers every `WAIT` with one, although it has run
    /// the calls.
    private func shortfall(_ reply: RedisValue?) -> QueueError? {
        if let error = reply?.error { return QueueError(.outcomeUnknown, RedisError(error).message) }
        let reached = reply?.int ?? 0
        guard reached < replication.replicas else { return nil }
        return QueueError(.tooFewReplicas, "\(reached) of \(replication.replicas) replicas have it in time")
    }

    private var waitCommand: RedisCommand {
        RedisCommand("WAIT", [.integer(replication.replicas), .integer(max(1, replication.wait.milliseconds))])
    }
}
