import CaptureModel
import CaptureQueue
import NIOHTTP1
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Waiting for a capture to change` {
    @Test func `a version that the caller has is 304`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let tag = try #require(try await gateway.status(id).headers.first(name: "ETag"))
            // The `meta` of two answers differs, so that a tag of theirs is weak.
            #expect(tag.hasPrefix("W/\""))
            let strong = String(tag.dropFirst(2))
            for known in [tag, strong, "\"other\", \(tag)", "W/\"other\" , \(strong)", "*"] {
                let same = try await gateway.status(id, "", CapturesGateway.dashboard + [("If-None-Match", known)])
                #expect(same.status == 304)
                #expect(same.headers.first(name: "ETag") == tag)
            }
            try await gateway.settle()
            let other = try await gateway.status(id, "", CapturesGateway.dashboard + [("If-None-Match", tag)])
            #expect(other.status == 200)
            #expect(other.headers.first(name: "ETag") != tag)
        }
    }

    @Test func `a long poll wakes on the change`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            async let answer = gateway.status(id, "?wait=30")
            await gateway.backend.changes.untilWatched(id)
            try await gateway.settle()
            gateway.backend.changes.tell(
                StateChange(capture: id, device: gateway.backend.device, news: .state(.verified)))
            #expect(try await answer.data["status"] == .string("verified"))
        }
    }

    @Test func `a wait ends when its caller has gone`() async throws {
        let changes = MemoryStateChanges()
        let (hasGone, heldBack) = (Latch(), HeldTime())
        let capture = SubmissionMaker.submission(seed: 1)
        let status = StatusDocument(
            JobStatus(
                id: capture.id, device: capture.device, state: .queued, attempts: 0, reason: nil, fault: nil,
                receivedAt: ManualTime().now, claimedAt: nil, settledAt: nil, nextAttemptAt: nil),
            for: .readToken)
        let waiting = Task {
            try await StatusWatch(changes: changes).status(
                of: capture.id, waitingAtMost: .seconds(3_600), orUntil: hasGone, noting: heldBack
            ) { _ in
                false
            } read: {
                status
            }
        }
        await changes.untilWatched(capture.id)
        hasGone.open()
        _ = try await waiting.value
        #expect(heldBack.total > .zero)
    }

    /// As a browser does that gives a request up, or goes to another page.
    @Test func `a long poll is over when its caller closes its side of the connection`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            for _ in 0..<4 {
                let start = ContinuousClock.now
                let answer = try await gateway.raw(
                    CapturesGateway.reading("/api/v1/captures/\(id)?wait=30"), closingAfterwards: true)
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("\(id)"))
                try #require(start.duration(to: .now) < .seconds(30), "it was held back to its end")
            }
        }
    }

    /// Whoever is held back is looked up once more when the wait is over.
    @Test func `a long poll answers at once what the caller does not know yet`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let before = gateway.backend.queue.looks
            let stale = CapturesGateway.dashboard + [("If-None-Match", "\"stale\"")]
            #expect(try await gateway.status(id, "?wait=30", stale).status == 200)
            #expect(gateway.backend.queue.looks == before + 1, "it was held back")
            try await gateway.settle()
            #expect(try await gateway.status(id, "?wait=30").data["status"] == .string("verified"))
            #expect(gateway.backend.queue.looks == before + 2, "it was held back")
        }
    }

    @Test func `a long poll ends with its time`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let (before, start) = (gateway.backend.queue.looks, ContinuousClock.now)
            #expect(try await gateway.status(id, "?wait=1").data["status"] == .string("queued"))
            let took = start.duration(to: .now)
            #expect(took >= .seconds(1), "\(took)")
            #expect(gateway.backend.queue.looks == before + 2, "nobody watched")
        }
    }

    @Test(arguments: ["-1", "31", "x", "1.5", ""])
    func `a wait outside its range is refused`(_ wait: String) async throws {
        try await CapturesGateway.run { gateway in
            let answer = try await gateway.status(try await gateway.accepted(), "?wait=\(wait)")
            #expect(answer.status == 400)
            #expect(answer.field == "wait")
        }
    }

    /// Whoever asks so would be answered at once, and ask again.
    @Test(arguments: [("?wiat=10", "wiat"), ("?wait=0&wait=1", "wait"), ("?wait=0&x=1", "x")])
    func `a wait that is misspelt or given twice is refused`(query: String, field: String) async throws {
        try await CapturesGateway.run { gateway in
            let answer = try await gateway.status(try await gateway.accepted(), query)
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR" && answer.field == field)
        }
    }
}
