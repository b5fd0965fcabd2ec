import CaptureQueue
import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// Threads for calls that block on the file system, so that the cooperative pool never does.
///
/// As many calls run at once as it is made for, and what waits is bounded. A call that waits for too long never begins.
/// One that takes too long from its beginning is given up and hangs: it keeps its thread until the system answers, a
/// spare one takes its place, and other calls about the same subject are turned away or wait without a thread meanwhile.
/// So a file that never answers costs one thread, however often it is asked for; only where more calls hang than there
/// are spares, others have fewer threads, and in the end none. Writes have no spares: what hangs keeps their bytes.
final class FileThreads: Sendable {
    /// How many calls may hang before others have fewer threads for it.
    static let sparesMax = 24

    private let pool: NIOThreadPool
    private let timeout: TimeAmount
    private let calls: Mutex<FileCalls>

    /// Starts the threads; they end when nobody holds on to them any more.
    init(count: Int, backlogMax: Int, timeout: Duration) {
        pool = NIOThreadPool(numberOfThreads: count + Self.sparesMax)
        calls = Mutex(FileCalls(runningMax: count, sparesMax: Self.sparesMax, backlogMax: backlogMax))
        self.timeout = TimeAmount(timeout)
        pool.start()
    }

    deinit {
        pool.shutdownGracefully(queue: .global()) { _ in }
    }

    /// Runs a blocking body on one of the threads, when no other about its subject runs.
    ///
    /// Whoever is cancelled waits for no read. For anything else it does: how that ends decides what becomes of a
    /// capture.
    /// - Parameter isPatient: Whether it waits for an earlier one about the same that hangs; else it is turned away.
    /// - Throws: The body's fault, or `unavailable` when it had to wait for a thread for too long, or `outcomeUnknown`
    ///   when it, or an earlier one about the same, has begun and was not done in time: it may be done yet. The same
    ///   for a read whose task is cancelled.
    func run<Value: Sendable>(
        _ subject: FileSubject, to purpose: FilePurpose = .read, isPatient: Bool = false,
        _ body: @escaping @Sendable () throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        if purpose == .read, Task.isCancelled { throw Self.cancelled }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = loop.makePromise(of: Result<Value, QueueError>.self)
        let work: @Sendable (Int) -> Void = { id in
            // From here on: what a call has waited for others is not held against its subject.
            let limit = loop.scheduleTask(in: self.timeout) { self.giveUp(id, promise) }
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

    private static let cancelled = QueueError(.outcomeUnknown, "nobody waits for the bundle directory any more")

    private static func result<Value: Sendable>(
        of future: EventLoopFuture<Result<Value, QueueError>>
    ) async -> Result<Value, QueueError> {
        do { return try await future.get() } catch {
            return .failure(QueueError(.unavailable, "the bundle directory's threads have ended"))
        }
    }

    /// Has threads begin the calls whose turn it is.
    private func begin() {
        while let call = calls.withLock({ $0.begin() }) {
            pool.submit { _ in call.work(call.id) }
        }
    }

    private func withdraw<Value: Sendable>(_ id: Int, _ promise: EventLoopPromise<Result<Value, QueueError>>) {
        guard let reason = calls.withLock({ $0.withdraw(id) }) else { return }
        promise.succeed(.failure(reason))
    }

    private func giveUp<Value: Sendable>(_ id: Int, _ promise: EventLoopPromise<Result<Value, QueueError>>) {
        if calls.withLock({ $0.giveUp(id) }) {
            promise.succeed(.failure(QueueError(.outcomeUnknown, "the bundle directory did not answer in time")))
        }
        begin()
    }

    private func cancel<Value: Sendable>(_ id: Int, _ promise: EventLoopPromise<Result<Value, QueueError>>) {
        guard calls.withLock({ $0.desert(id) }) else { return }
        promise.succeed(.failure(Self.cancelled))
    }
}
