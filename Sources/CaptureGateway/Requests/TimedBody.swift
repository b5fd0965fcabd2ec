import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import Waiting

/// Takes a body in, chunk by chunk, and makes something of it.
protocol BodyReader: Sendable {
    /// What becomes of the body.
    associatedtype Output: Sendable

    /// Takes the next chunk of the body.
    ///
    /// - Throws: What is wrong with it, as soon as it is known.
    mutating func take(_ chunk: ByteBuffer) throws(APIError)

    /// Says that the body is over.
    consuming func finish() throws(APIError) -> Output
}

/// Reads a request's body to its end, and gives up on senders who are too slow.
struct TimedBody: Sendable {
    /// How long nothing may come.
    let idleTimeout: Duration
    /// How long the whole may take.
    let timeout: Duration
    /// The memory that the body may take; `nil` where memory is not scarce.
    var room: Room?

    /// Memory that others may need: then the sender has to keep the pace that completes the body in time.
    struct Room: Sendable {
        /// Bytes that the whole body may have.
        let bytes: Int
        /// Whether there was too little for others a moment ago.
        let isWanted: @Sendable () -> Bool
    }

    /// Until when the next byte has to come.
    /// - Parameters:
    ///   - start: When the reading began.
    ///   - last: When something came last.
    ///   - bytes: How many have come.
    func end(
        start: ContinuousClock.Instant, last: ContinuousClock.Instant, bytes: Int
    ) -> ContinuousClock.Instant {
        let end = min(last + idleTimeout, start + timeout)
        guard let room, room.bytes > 0, room.isWanted() else { return end }
        return min(end, start + idleTimeout + timeout * (Double(bytes) / Double(room.bytes)))
    }

    private typealias Outcome<Output: Sendable> = Result<Output, APIError>

    /// Reads the body into a reader.
    ///
    /// The server passes over the rest of a refused body without keeping it.
    /// - Throws: `REQUEST_TIMEOUT` for a body that comes too slowly or ends too early, which may be sent again, and
    ///   whatever is wrong with it.
    func read<Reader: BodyReader>(
        _ body: RequestBody, into makeReader: @escaping @Sendable () -> Reader
    ) async throws(APIError) -> Reader.Output {
        let pulse = Pulse()
        let outcome = await withTaskGroup(of: Outcome<Reader.Output>.self) { group in
            group.addTask { await Self.drain(body, into: makeReader(), pulse) }
            group.addTask {
                await pulse.untilOver(self)
                return .failure(APIError(.requestTimeout, "the body came too slowly", field: "body"))
            }
            let first = await group.next() ?? .failure(Self.cutShort)
            group.cancelAll()
            return first
        }
        return try outcome.get()
    }

    /// Its sender went away, or a proxy has passed a truncated body on: the same request may be sent again.
    private static let cutShort = APIError(.requestTimeout, "the body ended too early", field: "body")

    private static func drain<Reader: BodyReader>(
        _ body: RequestBody, into reader: consuming Reader, _ pulse: Pulse
    ) async -> Outcome<Reader.Output> {
        do {
            for try await chunk in body {
                pulse.beat(chunk.readableBytes)
                try reader.take(chunk)
            }
            return .success(try reader.finish())
        } catch let error as APIError {
            return .failure(error)
        } catch let error as HTTPParserError where error != .invalidEOFState {
            return .failure(.invalid("body", "has chunks that cannot be read"))
        } catch {
            return .failure(cutShort)
        }
    }
}

/// When something came last, and how much has come.
private final class Pulse: Sendable {
    private let start = ContinuousClock.now
    private let come = Mutex((last: ContinuousClock.now, bytes: 0))

    func beat(_ bytes: Int) {
        come.withLock { $0 = (.now, $0.bytes + bytes) }
    }

    /// Returns when the sender is too slow, or the task is cancelled.
    func untilOver(_ limits: TimedBody) async {
        while !Task.isCancelled {
            let end = come.withLock { limits.end(start: start, last: $0.last, bytes: $0.bytes) }
            if end <= .now { return }
            // Somebody may want the room meanwhile.
            let next = limits.room == nil ? end : min(end, .now + .seconds(1))
            // Ends early when the body has been read, which cancels this task.
            await EventLoopTimer.wait(until: next)
        }
    }
}
