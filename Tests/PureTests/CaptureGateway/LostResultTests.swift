import CaptureModel
import CaptureQueue
import CaptureStore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

/// PostgreSQL has a result before Redis is told: it has gone back in time, or somebody has written to Redis.
@Suite(.timeLimit(.minutes(1))) struct `A capture that the queue alone calls settled` {
    private static let json = [("Content-Type", "application/json")]
    private static let line = "error the record has lost the result of an accepted capture"

    /// Hands a capture of the gateway's device off, and settles it in the queue alone.
    private func settledInQueue(_ gateway: CapturesGateway) async throws -> CaptureSubmission {
        var maker = SubmissionMaker(seed: 1)
        let submission = maker.submission(of: gateway.backend.device)
        #expect(try await gateway.backend.queue.enqueue(submission) == .accepted)
        try await gateway.settleInQueue()
        return submission
    }

    /// What the record has once it is as it should be.
    private func record(_ submission: CaptureSubmission, _ backend: CapturesGateway.Backend) async throws {
        let now = backend.time.now
        let job = CaptureJob(submission: submission, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false)
        let owner = try await backend.store.devices([submission.device])[submission.device]
        let verified = ExaminedCapture(
            job: job, clientDataHash: .hash([1]), checks: [], outcome: .of(owner, counter: 1), capturedAt: nil,
            verifiedAt: now)
        _ = try await backend.store.settle([verified], policy: .strict)
    }

    @Test func `a capture that the queue alone calls settled is told to nobody as verified`() async throws {
        let log = LogRecorder()
        try await CapturesGateway.run(logger: log.logger) { gateway in
            let submission = try await settledInQueue(gateway)
            let path = "/api/v1/captures/\(submission.id)"
            for suffix in ["", "?wait=30", "/provenance", "/events"] {
                for isOwner in [true, false] {
                    let (phone, device) = (gateway.backend.phone, gateway.backend.device)
                    let headers = isOwner ? try gateway.credentials(phone, device) : CapturesGateway.dashboard
                    let answer = try await gateway.send(.GET, path + suffix, headers: headers)
                    #expect(answer.status == 503 && answer.code == "UNAVAILABLE", "\(suffix)")
                    #expect(answer.headers.first(name: "Retry-After") == "60", "\(suffix)")
                }
            }
            #expect(log.lines.count { $0 == Self.line } == 1)
            try await record(submission, gateway.backend)
            #expect(try await gateway.status(submission.id).data["status"] == "verified")
        }
    }

    @Test func `a capture that the queue alone calls settled is left out where many are asked for`() async throws {
        let log = LogRecorder()
        try await CapturesGateway.run(logger: log.logger) { gateway in
            let submission = try await settledInQueue(gateway)
            let waiting = try await gateway.accepted()
            func told() async throws -> [String?]? {
                let body = Array(#"{"capture_ids": ["\#(submission.id)", "\#(waiting)"]}"#.utf8)
                let answer = try await gateway.send(
                    .POST, "/api/v1/captures/status", headers: CapturesGateway.dashboard + Self.json, body: body)
                return answer.data["captures"]?.array?.map { $0["status"]?.string }
            }
            for _ in 0..<2 { #expect(try await told() == ["queued"]) }
            #expect(log.lines.count { $0 == Self.line } == 1)
            try await record(submission, gateway.backend)
            #expect(try await told() == ["verified", "queued"])
        }
    }

    @Test func `whoever waits for a capture that the queue alone calls settled is not told that it is verified`()
        async throws
    {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            async let answer = gateway.status(id, "?wait=30")
            await gateway.backend.changes.untilWatched(id)
            try await gateway.settleInQueue()
            gateway.backend.changes.tell(
                StateChange(capture: id, device: gateway.backend.device, news: .state(.verified)))
            #expect(try await answer.status == 503)
        }
    }

    /// Its reader comes back, and is told 503.
    @Test func `a stream breaks off where the queue alone calls its capture settled`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await eventually { gateway.backend.changes.isHeard }
            var stream = try await CaptureStream(of: id, at: gateway)
            try await stream.read(until: #""status":"queued""#)
            try await gateway.settleInQueue()
            gateway.backend.changes.tell(
                StateChange(capture: id, device: gateway.backend.device, news: .state(.verified)))
            do {
                try await stream.read(until: nil)
            } catch {
                // As it should be: a stream that has told the last comes to its end.
            }
            #expect(!stream.text.contains("verified"))
        }
    }

    @Test func `the page of a capture that the queue alone calls settled says what is wrong`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let submission = SubmissionMaker.submission(seed: 1)
        #expect(try await fixture.queue.enqueue(submission) == .accepted)
        let lease = try #require(try await fixture.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
        let item = LaneSettlement.Item(id: submission.id, disposition: .settled(.verified))
        _ = try await fixture.queue.settle([
            LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
        ])
        try await fixture.runLoggedIn { login in
            for path in ["/dashboard/captures/\(submission.id)", "/dashboard/captures?q=\(submission.id)"] {
                let page = try await login.get(path)
                #expect(page.status == 503 && page.text.contains("Redis calls the capture settled"), "\(path)")
                #expect(!page.text.contains("The signature covers these bytes"))
            }
        }
    }
}
