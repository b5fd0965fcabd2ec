import CaptureQueue
package import RedisClient
import Synchronization

/// How many replicas have a capture before it is answered for.
package struct Replication: Sendable {
    /// A client of its own with a single connection: `WAIT` holds up whatever follows it.
    package var client: RedisClient
    /// How many replicas (1 to 16).
    package var replicas: Int
    /// How long they may take (10 ms to 60 s).
    package var wait: Duration
    /// How many calls may wait for those before them; one more is refused at once.
    package var backlogMax: Int

    /// Memberwise.
    package init(client: RedisClient, replicas: Int, wait: Duration, backlogMax: Int = 1_024) {
        self.client = client
        self.replicas = replicas
        self.wait = wait
        self.backlogMax = backlogMax
    }
}

/// Calls functions, and answers only when replicas have what they wrote.
///
/// `WAIT` holds for what was written before it on its own connection, so it follows the calls in the same write: on
/// another one it could reach another server after a failover, which would vouch for what it never had. The bytes of a
/// capture, stored before on other connections, are covered too: replicas take one stream of writes in order, and a
/// replica that has the capture has what was written before. What was enqueued by an earlier call and is found as a
/// duplicate is in that stream before the call's own write to the counters.
///
/// Calls that come while others wait for replicas, so many at the most, go together with the next `WAIT`, and one that
/// has waited for one and a half times the limit by then is refused unsent: however many there are, a replica that
/// hangs holds each up for less than three times the limit.
final class ReplicatedCalls: Sendable {
    /// What a function has answered.
    struct Answer: Sendable {
        let reply: RedisValue
        /// Why it is unknown whether what the call has kept outlives this server; `nil` where enough replicas have it.
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
        /// Somebody else has sent it.
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

    /// What one write takes along: the limit on how long the server is busy with it.
    private static let groupMax = 64

    private let replication: Replication
    private let functions: FunctionCaller
    private let state = Mutex(State())

    init(_ replication: Replication, functions: FunctionCaller) {
        self.replication = replication
        self.functions = FunctionCaller(client: replication.client, logger: functions.logger)
    }

    /// Calls one function; fewer replicas than asked may have what it has done, which the answer says.
    /// - Throws: When it was never sent: `busy` as too many wait, `unavailable` as the calls before it took too long.
    func call(_ function: String, keys: [String], _ arguments: [RedisArgument]) async throws(QueueError) -> Answer {
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

    /// Sends a group, tells the others, hands the lead on, and returns the first reply.
    private func lead(_ group: [Waiting]) async -> Reply {
        // Shielded from the cancellation of the one upload whose task this is: the others' calls go with it.
        let replies = await Task { await send(group.map(\.command)) }.value
        // More than one `WAIT` takes by itself: who came at its beginning goes with the next.
        let deadline = ContinuousClock.now - replication.wait * 1.5
        let (late, next) = state.withLock { state in
            // In the order of their coming.
            let late = Array(state.backlog.prefix { $0.since < deadline })
            let next = Array(state.backlog.dropFirst(late.count).prefix(Self.groupMax))
            state.backlog.removeFirst(late.count + next.count)
            state.isSending = !next.isEmpty
            return (late, next)
        }
        let refusal = Reply.failure(QueueError(.unavailable, "not sent: the replicas are behind"))
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

    /// What an answer to `WAIT` says against calls that were done before it.
    ///
    /// An error as well: a server that is made a replica answers every `WAIT` with one, and has
    /// done the calls all the same.
    private func shortfall(_ reply: RedisValue?) -> QueueError? {
        if let error = reply?.error { return QueueError(.outcomeUnknown, RedisError(error).message) }
        let reached = reply?.int ?? 0
        guard reached < replication.replicas else { return nil }
        return QueueError(.outcomeUnknown, "\(reached) of \(replication.replicas) replicas have it in time")
    }

    private var waitCommand: RedisCommand {
        RedisCommand("WAIT", [.integer(replication.replicas), .integer(max(1, replication.wait.milliseconds))])
    }
}
