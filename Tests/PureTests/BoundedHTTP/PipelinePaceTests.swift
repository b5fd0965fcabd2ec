import NIOCore
import NIOEmbedded
import Testing

@testable import BoundedHTTP

/// Everybody's new connections wait while the event loop works off what few have sent ahead.
@Suite("The pace of requests that were sent ahead")
struct PipelinePaceTests {
    private let start = NIODeadline.uptimeNanoseconds(5_000_000_000)

    @Test func `some follow at once, and each further one an interval later`() {
        var pace = PipelinePace(at: start)
        for _ in 0..<PipelinePace.burst { #expect(pace.place(at: start) == start) }
        for place in 1...3 { #expect(pace.place(at: start) == start + PipelinePace.interval * place) }
        // Two of these three have had their turn.
        let later = start + PipelinePace.interval * 2
        #expect(pace.place(at: later) == start + PipelinePace.interval * 4)
        // A rest that was long enough for all and one more.
        let rested = start + PipelinePace.interval * 5
        #expect(pace.place(at: rested) == rested)
        #expect(pace.place(at: rested) == rested + PipelinePace.interval)
    }

    @Test func `however long the rest was, no more follow at once than a burst`() {
        var pace = PipelinePace(at: start)
        let rested = start + .hours(1)
        for _ in 0..<PipelinePace.burst { #expect(pace.place(at: rested) == rested) }
        #expect(pace.place(at: rested) == rested + PipelinePace.interval)
    }

    @Test func `a connection's small requests are read one by one, and after a burst at the pace`() throws {
        let connection = try GatedConnection()
        try connection.receive(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 200))
        for _ in 0...PipelinePace.burst {
            #expect(try connection.heads().count == 1)
            _ = try connection.answer(before: .zero)
        }
        for _ in 0..<3 {
            #expect(try connection.heads().isEmpty)
            connection.channel.embeddedEventLoop.advanceTime(by: PipelinePace.interval)
            #expect(try connection.heads().count == 1)
            _ = try connection.answer(before: .zero)
        }
    }

    @Test func `an event loop has one pace for all its connections, and each loop its own`() throws {
        let (first, second) = (EmbeddedEventLoop(), EmbeddedEventLoop())
        let paces = PipelinePaces()
        #expect(paces.pace(on: first) === paces.pace(on: first))
        #expect(paces.pace(on: first) !== paces.pace(on: second))
    }
}
