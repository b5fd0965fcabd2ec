import NIOCore

/// A command, or several written in one go, on its way through a link.
struct PendingCommand<Ticket: Sendable>: Sendable {
    /// What is written.
    ///
    /// One command is by far the usual case and needs no array.
    enum Payload: Sendable {
        case one(RedisCommand)
        case several([RedisCommand])
    }

    let id: UInt64
    let payload: Payload
    /// How many replies answer it.
    let replyCount: Int
    /// Its bytes that count against the byte bound.
    let byteCount: Int
    /// Longest time from writing to the last answer.
    let timeout: TimeAmount
    /// Deadline for writing it; then it fails.
    let sendBy: NIODeadline
    /// The waiting caller; `nil` once it was cancelled.
    var ticket: Ticket?
    /// Deadline for its answer; set when it is written.
    var answerBy: NIODeadline = .distantFuture
    /// The replies so far, if it has more than one.
    var replies: [RedisValue] = []

    /// Whether it is one command, however many replies that has.
    var isOneCommand: Bool {
        if case .one = payload { true } else { false }
    }
}

/// Who waits for a command.
enum Waiter: Sendable {
    case value(CheckedContinuation<Result<RedisValue, RedisError>, Never>)
    case values(CheckedContinuation<Result<[RedisValue], RedisError>, Never>)
    case promise(EventLoopPromise<RedisValue>)
    case promises(EventLoopPromise<[RedisValue]>)

    /// Hands over the only reply; an error reply fails it.
    func answer(_ reply: RedisValue) {
        let result = Result { () throws(RedisError) in try reply.get() }
        switch self {
        case .value(let continuation): continuation.resume(returning: result)
        case .values(let continuation): continuation.resume(returning: .success([reply]))
        case .promise(let promise): promise.completeWith(result.mapError { $0 as any Error })
        case .promises(let promise): promise.succeed([reply])
        }
    }

    /// Hands over several replies; error replies stay values.
    func answer(_ replies: [RedisValue]) {
        switch self {
        case .value, .promise: answer(.array(replies))
        case .values(let continuation): continuation.resume(returning: .success(replies))
        case .promises(let promise): promise.succeed(replies)
        }
    }

    /// Hands over a fault.
    func fail(_ error: RedisError) {
        switch self {
        case .value(let continuation): continuation.resume(returning: .failure(error))
        case .values(let continuation): continuation.resume(returning: .failure(error))
        case .promise(let promise): promise.fail(error)
        case .promises(let promise): promise.fail(error)
        }
    }
}
