import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Reading captures` {
    @Test func `what the record has decided holds, although the queue has given the capture up`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle(isGivenUp: true)
            let status = try await gateway.status(id)
            #expect(status.data["status"] == .string("verified") && status.data["reason"] == .null)
        }
    }

    @Test func `the status follows the capture`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let queued = try await gateway.status(id)
            #expect(queued.data["status"] == .string("queued"))
            #expect(queued.data["device_id"] == .string("\(gateway.backend.device)"))
            #expect(queued.data["verdict"] == .null)
            #expect(queued.headers.first(name: "Retry-After") == "1")
            try await gateway.settle()
            let verified = try await gateway.status(id)
            #expect(verified.data["status"] == .string("verified"))
            #expect(verified.data["verdict"] == .string("verified"))
            #expect(verified.data["confidence"] == .string("high"))
            #expect(verified.data["attempts"] == .whole(1))
            #expect(verified.data["timings"]["queue_ms"] == .whole(0))
            #expect(verified.data["timings"]["verify_ms"] == .fraction(1.5))
            #expect(verified.data["timings"]["settle_ms"] == .whole(2))
            #expect(verified.headers.first(name: "Retry-After") == nil)
        }
    }

    @Test func `a long wait is told without digits that no clock told`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            gateway.backend.time.advance(by: .milliseconds(295_149))
            try await gateway.settle()
            let verified = try await gateway.status(id)
            #expect(verified.data["timings"]["queue_ms"] == .whole(295_149))
        }
    }

    @Test(
        arguments: [
            (.milliseconds(7_001), "8"), (.milliseconds(1), "1"), (.seconds(3_600), "60"),
        ] as [(Duration, String)])
    func `a capture that is put off is asked for again at its time`(delay: Duration, pause: String) async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let lease = try #require(
                try await gateway.backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let processing = try await gateway.status(id)
            #expect(processing.headers.first(name: "Retry-After") == "1")
            _ = try await gateway.backend.queue.settle([
                LaneSettlement(
                    token: lease.token, device: lease.device, items: [],
                    continuation: .delayed(delay, fault: "the record is away"))
            ])
            let retrying = try await gateway.status(id)
            #expect(retrying.data["status"] == .string("retrying"))
            #expect(retrying.headers.first(name: "Retry-After") == pause)
            gateway.backend.time.advance(by: delay)
            let due = try await gateway.status(id)
            #expect(due.headers.first(name: "Retry-After") == "1")
        }
    }

    @Test func `a rejected capture says why`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle(.photoMalformed)
            let status = try await gateway.status(id)
            #expect(status.data["status"] == .string("rejected"))
            #expect(status.data["reason"] == .string("PHOTO_MALFORMED"))
            #expect(status.data["explanation"].string != nil)
            #expect(status.data["confidence"] == .string("none"))
        }
    }

    @Test func `the record answers for captures that the queue has forgotten`() async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.statusesMax = 0
        try await CapturesGateway.run(limits: limits) { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            #expect(try await gateway.backend.queue.status(of: [id])[0] == nil)
            #expect(try await gateway.status(id).data["status"] == .string("verified"))
        }
    }

    /// As after a flush, while a worker settles what it had in hand: the row is gone when the ledger is asked.
    @Test func `a capture is found whose row goes with its result while both are asked`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway in
            let gate = Gate()
            try #require(gateway.backend.gatedLedger).hold(looksAt: gate)
            var maker = SubmissionMaker(seed: 7)
            let submission = maker.submission(of: gateway.backend.device)
            async let status = gateway.status(submission.id)
            await gate.untilReached()
            let now = gateway.backend.time.source()
            let job = CaptureJob(
                submission: submission, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false)
            let verified = ExaminedCapture(
                job: job, clientDataHash: .hash([1]), checks: [],
                outcome: .of(try await gateway.backend.store.devices([job.device])[job.device], counter: 1),
                capturedAt: nil, verifiedAt: now)
            _ = try await gateway.backend.store.settle([verified], policy: .strict)
            gate.open()
            #expect(try await status.data["status"] == .string("verified"))
        }
    }

    @Test(arguments: [nil, Reason.photoMalformed])
    func `the document is identical before and after the queue has forgotten the capture`(
        _ rejection: Reason?
    ) async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.statusesMax = 1
        try await CapturesGateway.run(limits: limits) { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle(rejection)
            #expect(try await gateway.backend.queue.status(of: [id])[0] != nil)
            let before = try await gateway.status(id)
            _ = try await gateway.accepted(seed: 2)
            try await gateway.settle()
            #expect(try await gateway.backend.queue.status(of: [id])[0] == nil)
            let after = try await gateway.status(id)
            #expect(after.data == before.data)
            for moment in ["received_at", "claimed_at", "settled_at"] { #expect(after.data[moment].string != nil) }
            let tag = try #require(before.headers.first(name: "ETag"))
            let same = try await gateway.status(id, "", CapturesGateway.dashboard + [("If-None-Match", tag)])
            #expect(same.status == 304)
        }
    }

    @Test func `a compromised key is told with the status, whatever version of it the caller has`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            let before = try await gateway.status(id)
            #expect(before.data["compromised_since"] == .null)
            let tag = try #require(before.headers.first(name: "ETag"))
            let backend = gateway.backend
            let since = backend.time.now.advanced(by: .seconds(-60))
            let marked = try await backend.store.compromise(
                backend.device, since: since, reason: "stolen", actor: "alice")
            #expect(marked?.affected == 1)

            let told = JSONValue.string(since.rfc3339)
            let after = try await gateway.status(id, "", CapturesGateway.dashboard + [("If-None-Match", tag)])
            #expect(after.status == 200 && after.data["compromised_since"] == told)
            #expect(after.data["status"] == .string("verified"), "a verdict is for good")
            let many = try await gateway.send(
                .POST, "/api/v1/captures/status",
                headers: CapturesGateway.dashboard + [("Content-Type", "application/json")],
                body: Array(#"{"capture_ids": ["\#(id)"]}"#.utf8))
            #expect(many.data["captures"]?.array?.first?["compromised_since"] == told)
            let record = try await gateway.send(
                .GET, "/api/v1/captures/\(id)/provenance", headers: CapturesGateway.dashboard)
            #expect(record.data["compromised_since"] == told)
        }
    }

    @Test func `many statuses come in the order asked, without others' and unknown ones`() async throws {
        try await CapturesGateway.run { gateway in
            let first = try await gateway.accepted(seed: 1)
            let second = try await gateway.accepted(seed: 2)
            let asked = ["\(second)", "00000000-0000-7000-8000-000000000000", "\(first)"]
            let body = Array(#"{"capture_ids": ["\#(asked.joined(separator: "\", \""))"]}"#.utf8)
            let json = [("Content-Type", "application/json")]
            func ids(_ answer: GatewayCaller.Answer) -> [String?]? {
                answer.data["captures"]?.array?.map { $0["capture_id"]?.string }
            }
            let answer = try await gateway.send(
                .POST, "/api/v1/captures/status", headers: CapturesGateway.dashboard + json, body: body)
            #expect(ids(answer) == ["\(second)", "\(first)"])
            let other = try await gateway.otherDevice()
            let empty = try await gateway.send(
                .POST, "/api/v1/captures/status",
                headers: try gateway.credentials(other.phone, other.id, body: body) + json, body: body)
            #expect(ids(empty) == [])
        }
    }

    @Test(arguments: [#"{"capture_ids": "x"}"#, #"{"capture_ids": ["x"]}"#, "{}", "[", many])
    func `a list of ids that is none is refused`(_ body: String) async throws {
        try await CapturesGateway.run { gateway in
            let answer = try await gateway.send(
                .POST, "/api/v1/captures/status",
                headers: CapturesGateway.dashboard + [("Content-Type", "application/json")], body: Array(body.utf8))
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR")
        }
    }

    private static let many =
        #"{"capture_ids": [\#(Array(repeating: "\"00000000-0000-7000-8000-000000000000\"", count: 501).joined(separator: ","))]}"#

    @Test func `provenance is there once the capture is settled, and never a place`() async throws {
        try await CapturesGateway.run { gateway in
            let capture = try gateway.capture()
            let id = try #require(try await gateway.upload(capture).captureID)
            let path = "/api/v1/captures/\(id)/provenance"
            let early = try await gateway.send(.GET, path, headers: CapturesGateway.dashboard)
            #expect(early.status == 409 && early.code == "NOT_SETTLED")
            try await gateway.settle()
            let data = try #require(try await gateway.send(.GET, path, headers: CapturesGateway.dashboard).data)
            #expect(data["verdict"] == .string("verified"))
            #expect(data["key_id"] == .string(gateway.backend.phone.keyID.description))
            #expect(data["photo_sha256"] == .string(SHA256Digest.hash(capture.capture.photo).hex))
            #expect(data["counter"] == .whole(1))
            #expect(data["counter_policy"] == .string("strict"))
            #expect(data["binding"] == .string("concat-v1"))
            #expect(data["attestation_level"] == .string("secure_enclave"))
            #expect(data["checks"]?.array?.contains { $0["name"] == .string("counter") } == true)
            #expect(data["processor_version"] == .string(ProcessorVersion.current))
            #expect(data["risk_metric"] == .null && data["risk_warning"] == .null)
            #expect(String(decoding: capture.capture.metadata, as: UTF8.self).contains("latitude"))
            #expect(!"\(data)".contains("location") && !"\(data)".contains("latitude"))
        }
    }

    @Test func `provenance tells the risk that was judged, and the limit`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let risk = DeviceRisk(metric: 3, at: gateway.backend.time.source())
            try await gateway.settle(risk: JudgedRisk(risk, warning: 5))
            let path = "/api/v1/captures/\(id)/provenance"
            let data = try #require(try await gateway.send(.GET, path, headers: CapturesGateway.dashboard).data)
            #expect(data["risk_metric"] == .whole(3) && data["risk_warning"] == .whole(5))
            #expect(data["risk_metric_at"] == .string(risk.at.rfc3339))
        }
    }

    @Test func `an outage while reading is 503`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            gateway.backend.queue.fail(everything: true)
            let answer = try await gateway.status(id)
            #expect(answer.status == 503)
            #expect(answer.headers.first(name: "Retry-After") != nil)
        }
    }
}
