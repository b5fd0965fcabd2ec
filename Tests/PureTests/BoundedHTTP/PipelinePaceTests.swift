import NIOCore
import NIOEmbedded
import Testing

@testable import BoundedHTTP

/// Everybody's new connections wait while the event loop works off what few have sent ahead.
@Suite("The pace of requests that were sent ahead")
struct PipelinePaceTests {
    private let start = NIODeadline.uptimeNanoseconds(5_000_000_000)
    private static let requests = String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 200)

    @Test func `some follow at once, and each further one an interval later`() {
        var pace = PipelinePace(at: start)
        for _ in 0..<PipelinePace.burst { #expect(pace.take(at: start) == true) }
        for count in 1...3 {
            let turn = start + PipelinePace.interval * count
            #expect(pace.take(at: turn - .nanoseconds(1)) == false)
            #expect(pace.next(at: turn - .nanoseconds(1)) == turn)
            #expect(pace.take(at: turn) == true)
        }
        let rested = start + PipelinePace.interval * 5
        for _ in 4...5 { #expect(pace.take(at: rested) == true) }
        #expect(pace.take(at: rested) == false)
    }

    @Test func `however long the rest was, no more follow at once than a burst`() {
        var pace = PipelinePace(at: start)
        let rested = start + .hours(1)
        for _ in 0..<PipelinePace.burst { #expect(pace.take(at: rested) == true) }
        #expect(pace.take(at: rested) == false)
        #expect(pace.next(at: rested) == rested + PipelinePace.interval)
    }

    @Test func `a connection's small requests are read one by one, and after a burst at the pace`() throws {
        let connection = try GatedConnection()
        try Self.useUp(PipelinePace.burst, of: connection)
        for _ in 0..<3 {
            #expect(try connection.heads().isEmpty)
            connection.channel.embeddedEventLoop.advanceTime(by: PipelinePace.interval)
            #expect(try connection.heads().count == 1)
            _ = try connection.answer(before: .zero)
        }
    }

    @Test func `connections go on in the order of their answers`() throws {
        let first = try GatedConnection()
        let second = try GatedConnection(beside: first)
        try Self.useUp(PipelinePace.burst, of: first)
        try Self.waitBehind(second)
        let loop = first.channel.embeddedEventLoop
        loop.advanceTime(by: PipelinePace.interval)
        #expect(try first.heads().count == 1)
        #expect(try second.heads().isEmpty)
        loop.advanceTime(by: PipelinePace.interval)
        #expect(try second.heads().count == 1)
    }

    @Test func `those behind a connection that closes while it waits move up`() throws {
        let first = try GatedConnection()
        let others = try (0..<9).map { _ in try GatedConnection(beside: first) }
        let last = try GatedConnection(beside: first)
        try Self.useUp(PipelinePace.burst, of: first)
        for connection in others + [last] { try Self.waitBehind(connection) }
        for connection in [first] + others { try connection.channel.close().wait() }
        first.channel.embeddedEventLoop.advanceTime(by: PipelinePace.interval)
        #expect(try last.heads().count == 1)
        _ = try last.answer(before: PipelinePace.interval)
        #expect(try last.heads().count == 1, "nor does anybody wait whose turn comes later")
    }

    @Test func `an event loop has the same turns for all its connections, and each loop its own`() throws {
        let (first, second) = (EmbeddedEventLoop(), EmbeddedEventLoop())
        let loops = PipelineLoops()
        #expect(loops.turns(on: first).value === loops.turns(on: first).value)
        #expect(loops.turns(on: first).value !== loops.turns(on: second).value)
    }

    /// Has so many of a connection's requests follow at once; then the next one waits.
    private static func useUp(_ burst: Int, of connection: GatedConnection) throws {
        try connection.receive(requests)
        for _ in 0...burst {
            #expect(try connection.heads().count == 1)
            _ = try connection.answer(before: .zero)
        }
    }

    /// Answers a connection's first request, so that the next one waits.
    private static func waitBehind(_ connection: GatedConnection) throws {
        try connection.receive(requests)
        #expect(try connection.heads().count == 1)
        _ = try connection.answer(before: .zero)
        #expect(try connection.heads().isEmpty)
    }
}
