import Hummingbird
import Synchronization

/// Reads an upload's body to its end, and gives up on senders who are too slow.
struct UploadBody: Sendable {
    /// How long nothing may come.
    let idleTimeout: Duration
    /// How long the whole may take.
    let timeout: Duration

    /// What ended the reading of a body before its end.
    enum Fault: Error {
        /// Something in it is wrong.
        case refused(APIError)
        /// The sender went away.
        case aborted
    }

    private enum Outcome: Sendable {
        case read(UploadedBundle)
        case refused(APIError)
        case aborted
        case tooSlow
    }

    /// Reads the body into a reader.
    ///
    /// What is left of a refused body is passed over by the server, unkept.
    func read(
        _ body: RequestBody, into makeReader: @escaping @Sendable () -> BundleReader
    ) async throws(Fault) -> UploadedBundle {
        let pulse = Pulse()
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await Self.drain(body, into: makeReader(), pulse) }
            group.addTask { [idleTimeout, timeout] in
                await pulse.untilOver(idleTimeout: idleTimeout, timeout: timeout)
                return .tooSlow
            }
            let first = await group.next() ?? .aborted
            group.cancelAll()
            return first
        }
        switch outcome {
        case .read(let bundle): return bundle
        case .refused(let error): throw .refused(error)
        case .aborted: throw .aborted
        case .tooSlow: throw .refused(APIError(.validationError, "upload too slow", field: "body"))
        }
    }

    private static func drain(
        _ body: RequestBody, into reader: consuming BundleReader, _ pulse: Pulse
    ) async -> Outcome {
        do {
            for try await chunk in body {
                pulse.beat()
                try reader.take(chunk)
            }
            return .read(try reader.finish())
        } catch let error as APIError {
            return .refused(error)
        } catch {
            return .aborted
        }
    }
}

/// When something came last.
private final class Pulse: Sendable {
    private let start = ContinuousClock.now
    private let last = Mutex(ContinuousClock.now)

    func beat() {
        last.withLock { $0 = .now }
    }

    /// Returns when nothing has come for too long, the whole takes too long, or the task is cancelled.
    func untilOver(idleTimeout: Duration, timeout: Duration) async {
        while !Task.isCancelled {
            let end = min(last.withLock { $0 } + idleTimeout, start + timeout)
            if end <= .now { return }
            // Cancelled: the body has been read.
            do { try await Task.sleep(until: end, clock: .continuous) } catch { return }
        }
    }
}
