import CaptureQueue
import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// Threads for calls that block on the file system, so that the cooperative pool never does.
///
/// As many calls run at once as there are threads. A call that is not done in time is given up: one that has not begun
/// never will, one that hangs keeps its thread until the system answers. What waits is bounded.
final class FileThreads: Sendable {
    private let pool: NIOThreadPool
    private let timeout: TimeAmount
    private let backlogMax: Int
    private let backlog = Atomic<Int>(0)

    /// Starts the threads; they end when nobody holds on to them any more.
    init(count: Int, backlogMax: Int, timeout: Duration) {
        pool = NIOThreadPool(numberOfThreads: count)
        self.backlogMax = backlogMax
        self.timeout = TimeAmount(timeout)
        pool.start()
    }

    deinit {
        pool.shutdownGracefully(queue: .global()) { _ in }
    }

    /// Runs a blocking body on one of the threads.
    /// - Throws: The body's fault, or `outcomeUnknown` when it was not done in time: it may be done yet.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        guard backlog.add(1, ordering: .relaxed).newValue <= backlogMax else {
            backlog.subtract(1, ordering: .relaxed)
            throw QueueError(.busy, "too many calls wait for the bundle directory")
        }
        let call = Call(body)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = loop.makePromise(of: Result<Value, QueueError>.self)
        let limit = loop.scheduleTask(in: timeout) {
            let wasBegun = call.take() == nil
            let code: QueueError.Code = wasBegun ? .outcomeUnknown : .unavailable
            promise.succeed(.failure(QueueError(code, "the bundle directory did not answer in time")))
        }
        pool.submit { [backlog = Backlog(self)] _ in
            defer { backlog.leave() }
            // Given up already.
            guard let body = call.take() else { return }
            promise.succeed(Result { () throws(QueueError) in try body() })
            limit.cancel()
        }
        do {
            return try await promise.futureResult.get().get()
        } catch let error as QueueError {
            throw error
        } catch {
            throw QueueError(.unavailable, "the bundle directory's threads have ended")
        }
    }

    /// A body that is taken once: by the thread that runs it, or by the clock that gives it up,
    /// and with it what it holds.
    private final class Call<Value: Sendable>: Sendable {
        typealias Body = @Sendable () throws(QueueError) -> Value
        private let body: Mutex<Body?>

        init(_ body: @escaping Body) {
            self.body = Mutex(body)
        }

        func take() -> Body? {
            body.withLock { body in
                defer { body = nil }
                return body
            }
        }
    }

    /// A place among the calls that wait or run.
    private struct Backlog: Sendable {
        let threads: FileThreads

        init(_ threads: FileThreads) {
            self.threads = threads
        }

        func leave() { threads.backlog.subtract(1, ordering: .relaxed) }
    }
}
