import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

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

    /// How long nothing may be written before a comment is: below what proxies and the gateway itself wait for.
    private static let silenceMax: Duration = .seconds(15)
    /// The least time between two looks, so that a busy queue makes few and large events.
    private static let pace: Duration = .milliseconds(200)

    let feed: ChangeFeed

    /// Answers with a stream.
    ///
    /// - Parameters:
    ///   - first: What the reader is told at once.
    ///   - items: What there is to tell when something has changed; `nil` ends the stream.
    func respond(
        first: [Item], items: @escaping @Sendable () async throws -> [Item]?
    ) throws(APIError) -> Response {
        guard !feed.isFull else {
            throw APIError(.unavailable, "too many streams of events", retryAfter: .seconds(5))
        }
        var headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        // For proxies that would collect the stream before they pass it on.
        if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
        let (feed, hello) = (feed, "retry: 2000\n\n" + first.map(\.text).joined())
        let body = ResponseBody { writer in
            try await Self.write(hello, to: &writer, feed: feed, items: items)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Concurrent, as what it writes to is.
    @concurrent private static func write(
        _ hello: String, to writer: inout any ResponseBodyWriter, feed: ChangeFeed,
        items: @Sendable () async throws -> [Item]?
    ) async throws {
        guard let bell = feed.hang() else { return }
        defer { feed.remove(bell) }
        try await writer.write(ByteBuffer(string: hello))
        while !Task.isCancelled {
            guard let news = try await items() else { return }
            if !news.isEmpty { try await writer.write(ByteBuffer(string: news.map(\.text).joined())) }
            switch await wait(for: bell.rings) {
            case .rung: try await Task.sleep(for: pace)
            case .silence: try await writer.write(ByteBuffer(string: Item.comment.text))
            case .over: return
            }
        }
    }

    private enum Wake { case rung, silence, over }

    private static func wait(for bell: AsyncStream<Void>) async -> Wake {
        await withTaskGroup(of: Wake.self) { group in
            group.addTask {
                for await _ in bell { return .rung }
                return .over
            }
            group.addTask {
                // Cancelled: one of the others was first.
                do { try await Task.sleep(for: silenceMax) } catch {}
                return .silence
            }
            group.addTask {
                // Throws only when cancelled, for the same reason.
                do { try await gracefulShutdown() } catch {}
                return .over
            }
            let first = await group.next() ?? .over
            group.cancelAll()
            return first
        }
    }
}

/// Something as JSON on one line.
func jsonLine(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
