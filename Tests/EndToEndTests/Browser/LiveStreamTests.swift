import AsyncHTTPClient
import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import NIOCore
import NIOHTTP1
import RedisCaptureQueue
import TestSupport
import Testing

/// Server-sent events as programs read them, over the whole system.
@Suite("Server-sent events", .timeLimit(.minutes(5)))
struct LiveStreamTests {
    @Test func `a capture's stream ends with it, and all changes are resumed where they were left`() async throws {
        let stack = try await Stack.start()
        let (process, gateway) = try await stack.gateway(["CAPTURE_GATEWAY_EVENT_STREAMS_MAX": "8"])
        let phone = try await Phone.register(with: gateway, authority: stack.authority)
        let url = gateway.configuration.url
        let all = try await Events.open("\(url)/api/v1/events")
        let hello = await all.next()
        #expect(hello?.name == "hello")
        let (capture, queued) = try await heard(of: phone, all)
        #expect(queued.data.contains("\"queued\""))
        all.close()

        let one = try await Events.open("\(url)/api/v1/captures/\(capture)/events")
        let first = try #require(await one.next())
        #expect(first.name == "status" && first.data.contains("\"status\":\"queued\""))
        let worker = try stack.worker()
        var last = first
        while let event = await one.next() { last = event }
        #expect(last.data.contains("\"status\":\"verified\""), "the stream ends with the capture")
        // A reader that has the last state already is told not to come back.
        let lastID = last.id
        await #expect(throws: Events.Refused(status: 204)) {
            _ = try await Events.open("\(url)/api/v1/captures/\(capture)/events", after: lastID)
        }

        // Changes that came while nobody listened come first.
        let resumed = try await Events.open("\(url)/api/v1/events", after: queued.id)
        var missed = ""
        while !missed.contains("\"verified\"") { missed += try #require(await resumed.next()).data }
        #expect(!missed.contains("\"queued\""))
        resumed.close()
        for (query, id) in [("", "other-7"), ("?lastEventId=other-7", nil)] as [(String, String?)] {
            let stranger = try await Events.open("\(url)/api/v1/events\(query)", after: id)
            #expect(await stranger.next()?.name == "gap")
            stranger.close()
        }
        try await refusals(url, capture)
        try await worker.kill()
        try await process.kill()
    }

    /// Uploads until a capture's change is told, and returns both.
    ///
    /// A gateway that has just come up may not hear the queue yet, and tells a gap when it does: what was uploaded
    /// before is never told.
    private func heard(of phone: Phone, _ all: Events) async throws -> (CaptureID, Events.Event) {
        var seed: UInt64 = 1
        while true {
            let capture = try await phone.upload(phone.shoot(seed: seed))
            var event = try #require(await all.next())
            while event.name == "changes", !event.data.contains("\(capture)") {
                event = try #require(await all.next())
            }
            if event.name == "changes" { return (capture, event) }
            #expect(event.name == "gap")
            seed += 1
        }
    }

    /// Eight streams are the most; those that were closed before may still be among them.
    private func refusals(_ url: String, _ capture: CaptureID) async throws {
        var open: [Events] = []
        await #expect(throws: Events.Refused(status: 503)) {
            for _ in 0...8 { open.append(try await Events.open("\(url)/api/v1/events")) }
        }
        for stream in open { stream.close() }
        for path in ["events", "captures/\(capture)/events"] {
            await #expect(throws: Events.Refused(status: 401)) {
                _ = try await Events.open("\(url)/api/v1/\(path)", token: "wrong")
            }
        }
    }
}

/// One stream of events, read as it comes.
private final class Events {
    struct Event {
        var name = ""
        var id = ""
        var data = ""
    }

    struct Refused: Error, Equatable {
        let status: UInt
    }

    /// Has room for more connections than a gateway has streams: the one too many must reach it, too.
    private static let http = {
        var configuration = GatewayClient.httpConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        return HTTPClient(configuration: configuration)
    }()

    /// What reads the answer; the stream ends with it.
    private let reading: Task<Void, Never>
    private var chunks: AsyncStream<String>.Iterator
    private var rest = ""

    private init(reading: Task<Void, Never>, chunks: AsyncStream<String>) {
        self.reading = reading
        self.chunks = chunks.makeAsyncIterator()
    }

    static func open(_ url: String, after id: String? = nil, token: String = Stack.token) async throws -> Events {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        if let id { request.headers.add(name: "Last-Event-ID", value: id) }
        let response = try await Self.http.execute(request, timeout: .seconds(120))
        guard response.status == .ok else { throw Refused(status: response.status.code) }
        #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
        let (chunks, continuation) = AsyncStream.makeStream(of: String.self)
        let reading = Task {
            do {
                for try await chunk in response.body { continuation.yield(String(buffer: chunk)) }
            } catch {
                // Cancelled by `close`: whoever reads finds the end, as after a connection that broke.
            }
            continuation.finish()
        }
        return Events(reading: reading, chunks: chunks)
    }

    /// The next event; `nil` when the stream has ended.
    func next() async -> Event? {
        while true {
            if let end = rest.range(of: "\n\n") {
                let block = rest[..<end.lowerBound]
                rest = String(rest[end.upperBound...])
                if let event = Self.event(block) { return event }
                continue
            }
            guard let chunk = await chunks.next(isolation: #isolation) else { return nil }
            rest += chunk
        }
    }

    /// Ends the stream.
    func close() { reading.cancel() }

    private static func event(_ block: Substring) -> Event? {
        var event = Event()
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "event": event.name = String(parts[1])
            case "id": event.id = String(parts[1])
            case "data": event.data = String(parts[1])
            default: continue
            }
        }
        return event.name.isEmpty ? nil : event
    }
}
