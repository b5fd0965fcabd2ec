import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Waiting

/// One answer of server-sent events (WHATWG HTML, 9.2), written as there is news.
struct EventStream: Sendable {
    /// An event, or a line that only keeps the connection alive.
    enum Item: Sendable, Equatable {
        case event(name: String, id: String?, data: String)
        case comment

        /// As it is written; data are JSON on one line, which needs no splitting.
        var text: String {
            switch self {
            case .comment: ":\n\n"
            case .event(let name, let id, let data):
                "event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: \(data)\n\n"
            }
        }
    }

    /// What there is to tell at a look.
    struct Look: Sendable {
        var items: [Item] = []
        /// Whether nothing can come after it.
        var isLast = false
        /// Whether more is there already.
        var hasMore = false
    }

    /// The media type of the answer.
    static let contentType = "text/event-stream"

    /// The least time between two looks, so that a busy queue makes few and large events.
    private static let pace: Duration = .milliseconds(200)

    let feed: ChangeFeed
    /// Whose place it takes.
    let reader: Reader
    /// Open when nobody reads any more; the stream then ends.
    let callerHasGone: Latch
    /// The longest silence, give or take a third; a comment ends it.
    ///
    /// Shorter than the timeouts of proxies and of the gateway itself. As often it is checked whether the reader may
    /// still read.
    var silenceMax: Duration = .seconds(15)

    /// How often a stream is woken where nothing changes.
    var wakeInterval: Duration { silenceMax / 3 }

    /// Answers with a stream.
    ///
    /// - Parameters:
    ///   - first: What the reader is told at once.
    ///   - mayGoOn: Throws when the reader may read no more: a session ends, a device is revoked.
    ///   - look: What there is to tell when something has changed.
    func respond(
        first: [Item], mayGoOn: @escaping @Sendable () async throws -> Void,
        look: @escaping @Sendable () async throws -> Look
    ) throws(APIError) -> Response {
        guard !feed.isFull(for: reader) else {
            throw APIError(.unavailable, "too many streams of events", retryAfter: .seconds(5))
        }
        let headers: HTTPFields = [
            .contentType: Self.contentType, .cacheControl: "no-store",
            // For proxies that would collect the stream before they pass it on.
            .accelBuffering: "no",
        ]
        let hello = "retry: 2000\n\n" + first.map(\.text).joined()
        let body = ResponseBody { writer in
            if let subscription = feed.subscribe(for: reader) {
                defer { feed.remove(subscription) }
                try await writer.write(ByteBuffer(string: hello))
                try await write(to: &writer, of: subscription, mayGoOn: mayGoOn, look: look)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Concurrent, as what it writes to is.
    @concurrent private func write(
        to writer: inout any ResponseBodyWriter, of subscription: ChangeFeed.Subscription,
        mayGoOn: @Sendable () async throws -> Void, look: @Sendable () async throws -> Look
    ) async throws {
        // Beside the loop below: a wait for a wake-up that is cancelled would end the subscription.
        async let _ = wake(subscription)
        var (spokenAt, askedAt) = (ContinuousClock.now, ContinuousClock.now)
        while true {
            if askedAt.duration(to: .now) >= silenceMax {
                // An answer that cannot be had ends the stream as well: its reader comes back, and is told why.
                guard (try? await mayGoOn()) != nil else { break }
                askedAt = .now
            }
            var news = try await look()
            if news.items.isEmpty, spokenAt.duration(to: .now) >= silenceMax { news.items = [.comment] }
            if !news.items.isEmpty {
                try await writer.write(ByteBuffer(string: news.items.map(\.text).joined()))
                spokenAt = .now
            }
            // At once: others may wait for its place.
            if news.isLast { break }
            try await Task.sleep(for: Self.pace)
            if news.hasMore, !Task.isShuttingDownGracefully { continue }
            guard await feed.untilWoken(subscription) else { break }
        }
    }

    /// Wakes the stream three times in the longest silence, until the gateway stops, the reader goes or the stream ends.
    private func wake(_ subscription: ChangeFeed.Subscription) async {
        await cancelWhenGracefulShutdown {
            while true {
                await callerHasGone.wait(for: wakeInterval)
                guard !callerHasGone.isOpen, !Task.isCancelled else { return }
                subscription.wake()
            }
        }
        subscription.end()
    }
}
