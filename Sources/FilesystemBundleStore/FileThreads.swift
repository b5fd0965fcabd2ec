import CaptureQueue
import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// Threads for calls that block on the file system, so that the cooperative pool never does.
///
/// The number of calls that run at once is fixed, and the queue of waiting calls is bounded. A call that waits for too
/// long never begins. A call that runs for too long counts as hanging: it keeps its thread until the system
/// answers, and a spare thread takes its place. Meanwhile other calls about its subject are turned away, or wait
/// without a thread. So a file that never answers costs one thread, however often it is asked for; only if more calls
/// hang than there are spares, fewer threads are left for others, and in the end none. Writes have no spares, as a
/// hanging write keeps its bytes.
final class FileThreads: Sendable {
    /// How many calls may hang before fewer threads are left for others.
    static let sparesMax = 24

    private let pool: NIOThreadPool
    private let timeout: TimeAmount
    private let calls: Mutex<FileCalls>

    /// Starts the threads; they end with this object.
    init(count: Int, backlogMax: Int, timeout: Duration) {
        pool = NIOThreadPool(numberOfThreads: count + Self.sparesMax)
        calls = Mutex(FileCalls(runningMax: count, sparesMax: Self.sparesMax, backlogMax: backlogMax))
        self.timeout = TimeAmount(timeout)
        pool.start()
    }

    deinit {
        pool.shutdownGracefully(queue: .global()) { _ in }
    }

    /// Runs a blocking body on one of the threads, when no other call about its subject runs.
    ///
    /// A cancelled caller does not wait for a read. It does wait for a write or change: how that ends decides what
    /// becomes of a capture.
    /// - Parameter isPatient: Whether it waits behind a hanging call about its subject; otherwise it is turned away.
    /// - Throws: The body's fault; `busy` if too many calls wait; `unavailable` if it waited too long for a thread;
    ///   `outcomeUnknown` if it, or an earlier call about its subject, has begun and was not done in time, as it may
    ///   still be done; `outcomeUnknown` also for a read whose task is cancelled.
    func run<Value: Sendable>(
        _ subject: FileSubject, to purpose: FilePurpose = .read, isPatient: Bool = false,
        _ body: @escaping @Sendable () throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        if purpose == .read, Task.isCancelled { throw Self.cancelled }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = loop.makePromise(of: Result<Value, QueueError>.self)
        let work: @Sendable (Int) -> Void = { id in
            // Counted from here: time spent waiting for other calls is not held against the subject.
            let limit = loop.scheduleTask(in: self.timeout) { self.markHanging(id, promise) }
            let result = Result { () throws(QueueError) in try body() }
            limit.cancel()
            let isInTime = self.calls.withLock { $0.finish(id) }
            self.begin()
            if isInTime { promise.succeed(result) }
        }
        switch calls.withLock({ $0.enter(subject, isWrite: purpose == .write, isPatient: isPatient, work) }) {
        case .success(let id):
            let limit = loop.scheduleTask(in: timeout) { self.withdraw(id, promise) }
            defer { limit.cancel() }
            begin()
            let result = await withTaskCancellationHandler {
                await Self.result(of: promise.futureResult)
            } onCancel: {
                if purpose == .read { self.cancel(id, promise) }
            }
            return try result.get()
        case .failure(let error):
            promise.succeed(.failure(error))
            throw error
        }
    }

    private static let cancelled = QueueError(
        .outcomeUnknown, "nobody waits for the bundle directory any more", of: .bundles)

    private static func result<Value: Sendable>(
        of future: EventLoopFuture<Result<Value, QueueError>>
    ) async -> Result<Value, QueueError> {
        do { return try await future.get() } catch {
            return .failure(QueueError(.unavailable, "the bundle directory's threads have ended", of: .bundles))
        }
    }

    /// Hands the calls whose turn it is to threads.
    private func begin() {
        while let call = calls.withLock({ $0.begin() }) {
            pool.submit { _ in call.work(call.id) }
        }
    }

    private func withdraw<Value: Sendable>(_ id: Int, _ promise: EventLoopPromise<Result<Value, QueueError>>) {
        guard let reason = calls.withLock({ $0.withdraw(id) }) else { return }
        promise.succeed(.failure(reason))
    }

    private func markHanging<Value: Sendable>(_ id: Int, _ promise: EventLoopPromise<Result<Value, QueueError>>) {
        if calls.withLock({ $0.markHanging(id) }) {
            let fault = QueueError(.outcomeUnknown, "the bundle directory did not answer in time", of: .bundles)
            promise.succeed(.failure(fault))
        }
        begin()
    }

    private func cancel<Value: Sendable>(_ id: Int, _ promise: EventLoopPromise<Result<Value, QueueError>>) {
        guard calls.withLock({ $0.desert(id) }) else { return }
        promise.succeed(.failure(Self.cancelled))
    }
}
