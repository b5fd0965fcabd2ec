import NIOCore
@testable import RedisClient
import Testing

@Suite("Order and deadlines of commands")
struct CommandPipelineTests {
    private typealias Pipeline = CommandPipeline<Int>

    @Test func `no more commands are in flight than the pipeline is deep`() {
        var pipeline = Pipeline(depthMax: 2)
        for id in 1...3 { pipeline.accept(Self.command(UInt64(id))) }
        #expect(pipeline.nextToWrite(now: .now()) != nil)
        #expect(pipeline.nextToWrite(now: .now()) != nil)
        #expect(pipeline.nextToWrite(now: .now()) == nil)
        #expect(Self.answered(pipeline.received(.null)) == 1)
        #expect(pipeline.nextToWrite(now: .now()) != nil)
        #expect(Self.answered(pipeline.received(.null)) == 2)
        #expect(Self.answered(pipeline.received(.null)) == 3)
        #expect(pipeline.isIdle)
    }

    @Test func `a batch counts all its replies, and goes alone if it is longer than the pipeline`() {
        var pipeline = Pipeline(depthMax: 3)
        pipeline.accept(Self.command(1))
        pipeline.accept(Self.command(2, replies: 5))
        pipeline.accept(Self.command(3))
        #expect(pipeline.nextToWrite(now: .now()) != nil)
        #expect(pipeline.nextToWrite(now: .now()) == nil)
        #expect(Self.answered(pipeline.received(.null)) == 1)
        #expect(pipeline.nextToWrite(now: .now()) != nil)
        #expect(pipeline.nextToWrite(now: .now()) == nil)
        for _ in 0..<4 { #expect(Self.answered(pipeline.received(.null)) == nil) }
        #expect(Self.answered(pipeline.received(.null)) == 2)
        #expect(pipeline.depth == 0)
        #expect(pipeline.nextToWrite(now: .now()) != nil)
    }

    @Test func `a cancelled caller leaves its place in flight behind, and none in the backlog`() {
        var pipeline = Pipeline(depthMax: 1)
        for id in 1...3 { pipeline.accept(Self.command(UInt64(id))) }
        _ = pipeline.nextToWrite(now: .now())
        guard case .written(1?) = pipeline.cancel(1), case .unsent = pipeline.cancel(2), case .none = pipeline.cancel(9)
        else { return fail("cancelled otherwise") }
        guard case .written(nil) = pipeline.cancel(1) else { return fail("cancelled twice") }
        guard case .answer(let gone, _) = pipeline.received(.null) else { return fail("no answer") }
        #expect(gone.ticket == nil)
        _ = pipeline.nextToWrite(now: .now())
        #expect(Self.answered(pipeline.received(.null)) == 3)
    }

    @Test func `deadlines run from writing once written, from acceptance before`() {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var pipeline = Pipeline(depthMax: 1)
        pipeline.accept(Self.command(1, sendBy: start + .seconds(1), timeout: .seconds(5)))
        pipeline.accept(Self.command(2, sendBy: start + .seconds(2), timeout: .seconds(5)))
        #expect(pipeline.earliestDeadline == start + .seconds(1))
        _ = pipeline.nextToWrite(now: start)
        #expect(pipeline.earliestDeadline == start + .seconds(2))
        #expect(pipeline.takeUnsentExpired(now: start + .seconds(2)).map(\.id) == [2])
        #expect(!pipeline.hasUnansweredExpired(now: start + .seconds(4)))
        #expect(pipeline.hasUnansweredExpired(now: start + .seconds(5)))
        #expect(pipeline.earliestDeadline == start + .seconds(5))
    }

    @Test func `a reply that nobody asked for is told`() {
        var pipeline = Pipeline(depthMax: 1)
        pipeline.accept(Self.command(1))
        guard case .unexpected = pipeline.received(.null) else { return fail("taken for an answer") }
    }

    @Test func `one command with several replies that is refused ends with the refusal`() {
        var pipeline = Pipeline(depthMax: 10)
        var refused = Self.command(1, replies: 3)
        refused = PendingCommand(
            id: 1, payload: .one(RedisCommand("SUBSCRIBE")), replyCount: 3, byteCount: 0, timeout: .seconds(1),
            sendBy: .distantFuture, ticket: refused.ticket)
        pipeline.accept(refused)
        _ = pipeline.nextToWrite(now: .now())
        #expect(Self.answered(pipeline.received(.error(RedisServerError("NOPERM no")))) == 1)
        #expect(pipeline.depth == 0)
    }

    @Test func `what was written and what was not are told apart when the connection goes`() {
        var pipeline = Pipeline(depthMax: 2)
        for id in 1...5 { pipeline.accept(Self.command(UInt64(id))) }
        while pipeline.nextToWrite(now: .now()) != nil {}
        #expect(pipeline.takeInFlight().map(\.id) == [1, 2])
        #expect(pipeline.depth == 0)
        #expect(pipeline.takeBacklog().map(\.id) == [3, 4, 5])
        #expect(pipeline.isIdle)
    }

    private static func command(
        _ id: UInt64, replies: Int = 1, sendBy: NIODeadline = .distantFuture, timeout: TimeAmount = .seconds(1)
    ) -> PendingCommand<Int> {
        let command = RedisCommand("PING")
        return PendingCommand(
            id: id, payload: replies == 1 ? .one(command) : .several(Array(repeating: command, count: replies)),
            replyCount: replies, byteCount: 0, timeout: timeout, sendBy: sendBy, ticket: Int(id))
    }

    private static func answered(_ action: Pipeline.ReplyAction) -> Int? {
        switch action {
        case .answer(let command, _), .answerAll(let command): command.ticket
        case .wait, .unexpected: nil
        }
    }

    /// Records an issue and nothing else, for the `else` of a `guard`.
    private func fail(_ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record(comment, sourceLocation: sourceLocation)
    }
}
