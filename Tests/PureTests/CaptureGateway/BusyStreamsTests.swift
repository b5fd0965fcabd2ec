import CaptureModel
import CaptureQueue
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import Waiting

@testable import CaptureGateway

/// What many streams of events cost while the queue is busy: they share the event loops with all other requests.
@Suite("Many streams of events at a busy queue", .timeLimit(.minutes(1)))
struct BusyStreamsTests {
    private static func change(_ state: CaptureState = .queued) -> StateChange {
        StateChange(capture: CaptureID(UUID()), device: DeviceID(UUID()), news: .state(state))
    }

    /// What an encoder makes of a change.
    private static func encoded(_ change: StateChange) throws -> String {
        try AnswerJSON.line([
            "capture_id": "\(change.capture)", "device_id": "\(change.device)", "status": change.news.word,
        ])
    }

    @Test func `a change becomes text once, however many streams tell it`() {
        let count = Mutex(0)
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", streamsMax: 64) { change in
            count.withLock { $0 += 1 }
            return change.eventText
        }
        let changes = (0..<1_000).map { _ in Self.change() }
        for change in changes { feed.add(change) }
        let text = changes.map(\.eventText).joined(separator: ",")
        for _ in 0..<64 { #expect(feed.text(after: 0, limit: 1_000) == .changes(text, next: 1_000)) }
        #expect(count.withLock { $0 } == 1_000)
    }

    @Test func `the text of a change is what an encoder makes of it`() throws {
        for state in CaptureState.allCases {
            let change = Self.change(state)
            #expect(try change.eventText == Self.encoded(change))
        }
        let discarded = StateChange(capture: CaptureID(UUID()), device: DeviceID(UUID()), news: .discarded)
        #expect(try discarded.eventText == Self.encoded(discarded))
    }

    @Test func `the texts after a place are those of its changes, when earlier ones are gone, too`() {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", keptMax: 4, streamsMax: 1)
        // Of different lengths.
        let changes = (0..<19).map { Self.change(CaptureState.allCases[$0 % CaptureState.allCases.count]) }
        var told = 0
        for (number, change) in changes.enumerated() {
            feed.add(change)
            for place in 0...number + 1 {
                for limit in [0, 1, 3, Int.max] {
                    switch feed.changes(after: place, limit: limit) {
                    case .gap(let next): #expect(feed.text(after: place, limit: limit) == .gap(next: next))
                    case .changes(let found, let next):
                        told += 1
                        let texts = found.map(\.eventText).joined(separator: ",")
                        #expect(feed.text(after: place, limit: limit) == .changes(texts, next: next))
                        #expect(found.elementsEqual(changes[place..<next]))
                    }
                }
            }
        }
        #expect(told > 100)
        feed.noteGap()
        #expect(feed.text(after: 19, limit: 1) == .gap(next: 20))
        feed.add(changes[0])
        #expect(feed.text(after: 20, limit: 9) == .changes(changes[0].eventText, next: 21))
    }

    @Test func `changes wake a stream once until it looks, and never one that has ended`() throws {
        var streams = OpenStreams(streamsMax: 8)
        let numbers = (0..<3).compactMap { _ in
            streams.add(AsyncStream.makeStream(of: Void.self).continuation, for: .readToken)
        }
        #expect(numbers.count == 3)
        let (first, second) = (streams.takeAsleep(), streams.takeAsleep())
        #expect(first.count == 3 && second.isEmpty)
        streams.looks(numbers[1])
        let looking = streams.takeAsleep()
        #expect(looking.count == 1)
        streams.remove(numbers[2])
        for number in numbers { streams.looks(number) }
        let left = streams.takeAsleep()
        #expect(left.count == 2 && streams.all.count == 2)
    }

    /// Hands nothing on.
    private struct Nowhere: ResponseBodyWriter {
        mutating func write(_ buffer: ByteBuffer) async throws {}
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test func `a change that comes while a stream looks wakes it again`() async throws {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", streamsMax: 1)
        // Nothing else wakes it within the test's time.
        let stream = EventStream(
            feed: feed, reader: .readToken, callerHasGone: Latch(), silenceMax: .seconds(3600))
        let looks = Mutex(0)
        let response = try stream.respond(first: [], mayGoOn: {}) {
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            if look < 4 { feed.add(Self.change()) }
            return .init(isLast: look == 4)
        }
        try await response.body.write(Nowhere())
        #expect(looks.withLock { $0 } == 4)
    }
}
