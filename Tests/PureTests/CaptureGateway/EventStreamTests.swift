import CaptureModel
import CaptureQueue
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import Waiting

@testable import CaptureGateway

@Suite("A stream of events", .timeLimit(.minutes(1)))
struct EventStreamTests {
    private let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", streamsMax: 1)

    /// Hands on what is written.
    private struct Writer: ResponseBodyWriter {
        let lines: AsyncStream<String>.Continuation

        mutating func write(_ buffer: ByteBuffer) async throws { lines.yield(String(buffer: buffer)) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { lines.finish() }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }

    /// Reads a stream whose items are the changes that the feed has.
    private func open(
        mayGoOn: @escaping @Sendable () async throws -> Void = {}
    ) throws -> (lines: AsyncStream<String>, writing: Task<Void, any Error>) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let start = feed.next
        let told = Counter()
        let stream = EventStream(
            feed: feed, reader: .readToken, callerHasGone: Latch(), silenceMax: .milliseconds(30))
        let response = try stream.respond(first: [], mayGoOn: mayGoOn) { [feed] in
            guard case .changes(let changes, _) = feed.changes(after: start + told.value, limit: 10) else {
                return .init(isLast: true)
            }
            told.add(changes.count)
            return .init(items: changes.map { .event(name: "change", id: nil, data: "\($0.capture)") })
        }
        return (lines, Self.write(response, to: continuation))
    }

    private static func write(
        _ response: Response, to lines: AsyncStream<String>.Continuation
    ) -> Task<Void, any Error> {
        Task {
            defer { lines.finish() }
            try await response.body.write(Writer(lines: lines))
        }
    }

    @Test func `a stream of events goes on after any number of silences`() async throws {
        let (lines, writing) = try open()
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next()?.hasPrefix("retry: ") == true)
        for _ in 0..<3 { #expect(await iterator.next() == ":\n\n") }
        let change = StateChange(capture: CaptureID(UUID()), device: DeviceID(UUID()), news: .state(.queued))
        feed.add(change)
        var news = await iterator.next()
        while news == ":\n\n" { news = await iterator.next() }
        #expect(news == "event: change\ndata: \(change.capture)\n\n")
        #expect(await iterator.next() == ":\n\n")
        writing.cancel()
        _ = await writing.result
        #expect(!feed.isFull(for: .readToken), "its place is free")
    }

    @Test func `a stream of events ends with what is the last to tell, although nothing wakes it`() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let stream = EventStream(
            feed: feed, reader: .readToken, callerHasGone: Latch(), silenceMax: .seconds(3600))
        let end = EventStream.Item.event(name: "status", id: "1", data: "{}")
        let response = try stream.respond(first: [], mayGoOn: {}) { .init(items: [end], isLast: true) }
        let writing = Self.write(response, to: continuation)
        var told: [String] = []
        for await line in lines { told.append(line) }
        try await writing.value
        #expect(told.dropFirst() == [end.text] && !feed.isFull(for: .readToken))
    }

    @Test func `a stream of events goes on at once where more is there than one look tells`() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        // Nothing wakes it within the test's time.
        let stream = EventStream(
            feed: feed, reader: .readToken, callerHasGone: Latch(), silenceMax: .seconds(3600))
        let looks = Counter()
        let response = try stream.respond(first: [], mayGoOn: {}) {
            looks.add(1)
            return .init(
                items: [.event(name: "changes", id: nil, data: "\(looks.value)")], isLast: looks.value == 3,
                hasMore: looks.value < 3)
        }
        let writing = Self.write(response, to: continuation)
        for await _ in lines {}
        try await writing.value
        #expect(looks.value == 3)
    }

    @Test func `a stream of events ends at once when its reader has gone`() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let hasGone = Latch()
        // Nothing else wakes it within the test's time.
        let stream = EventStream(
            feed: feed, reader: .readToken, callerHasGone: hasGone, silenceMax: .seconds(3600))
        let writing = Self.write(try stream.respond(first: [], mayGoOn: {}) { .init() }, to: continuation)
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next()?.hasPrefix("retry: ") == true)
        #expect(feed.isFull(for: .readToken))
        hasGone.open()
        try await writing.value
        #expect(!feed.isFull(for: .readToken), "its place is free")
    }

    /// As a browser does that leaves a page.
    @Test func `streams end whose readers close their side of the connection`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            for path in ["/api/v1/events", "/api/v1/captures/\(id)/events"] {
                let answer = try await gateway.raw(CapturesGateway.reading(path), closingAfterwards: true)
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("retry: 2000"), "\(path)")
                #expect(answer.hasSuffix("0\r\n\r\n"), "it has ended: \(path)")
            }
        }
    }

    /// RFC 9110 section 8.6 and RFC 9112 section 6.1.
    @Test(arguments: ["GET", "HEAD"]) func `streams have no chunks for HTTP/1.0, and no length for HEAD`(method: String)
        async throws
    {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            for path in ["/api/v1/events", "/api/v1/captures/\(id)/events"] {
                let request = CapturesGateway.reading(
                    path, method, version: method == "HEAD" ? "HTTP/1.1" : "HTTP/1.0")
                let answer = try await gateway.raw(request, closingAfterwards: true)
                let end = try #require(answer.range(of: "\r\n\r\n"), "\(path)")
                let (head, body) = (answer[..<end.lowerBound].lowercased(), answer[end.upperBound...])
                #expect(head.hasPrefix("http/1.0 200 ") && head.contains("content-type: text/event-stream"))
                #expect(!head.contains("content-length") && !head.contains("transfer-encoding"), "\(head)")
                #expect(head.contains("connection: close"))
                #expect(body.isEmpty == (method == "HEAD") && (body.isEmpty || body.hasPrefix("retry: ")), "\(path)")
            }
        }
    }

    @Test func `a stream of events ends when its reader may read no more`() async throws {
        let asked = Counter()
        let (lines, writing) = try open {
            asked.add(1)
            if asked.value > 2 { throw APIError(.unauthorized, "logged out") }
        }
        for await _ in lines {}
        try await writing.value
        #expect(asked.value == 3 && !feed.isFull(for: .readToken))
    }
}
