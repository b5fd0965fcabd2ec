import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

extension CapturesGateway {
    /// Uploads a capture and gives its id.
    func accepted(seed: UInt64 = 1) async throws -> CaptureID {
        try #require(try await upload(capture(seed: seed)).captureID)
    }

    /// Works everything that is queued as a worker would, with a verdict of the test's.
    /// - Parameter isGivenUp: Another worker gives the captures up, although the record has their results.
    func settle(_ rejection: Reason? = nil, isGivenUp: Bool = false) async throws {
        let leases = try await rooms.queue.claim(lanesMax: 8, capturesPerLaneMax: 8, wait: .zero)
        for lease in leases {
            var items: [LaneSettlement.Item] = []
            for case .valid(let job) in lease.jobs {
                let device = try await rooms.store.devices([job.device])[job.device]
                rooms.time.advance(by: .microseconds(1500))
                let verified = VerifiedCapture(
                    job: job, device: device, clientDataHash: .hash([1]), counter: 1,
                    checks: [Check(.assertion, .pass)], rejection: rejection, confidence: .high,
                    capturedAt: job.receivedAt, verifiedAt: rooms.time.source()
                )
                rooms.time.advance(by: .milliseconds(2))
                let settled = try await rooms.store.settle([verified], policy: .strict)[0]
                rooms.time.advance(by: .milliseconds(5))
                let timings = CaptureTimings(
                    queue: .milliseconds(3), verify: .microseconds(1500), settle: .milliseconds(2))
                let disposition: LaneSettlement.Disposition =
                    isGivenUp
                    ? .dead(.bundleMissing, fault: "gone") : .settled(settled.verdict, settled.reason, timings)
                items.append(.init(id: job.id, disposition: disposition))
            }
            _ = try await rooms.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: items, continuation: .ready)])
        }
    }

    func status(
        _ id: CaptureID, _ query: String = "", _ headers: [(String, String)] = Self.dashboard
    ) async throws -> CapturesAnswer {
        try await send(.GET, "/api/v1/captures/\(id)\(query)", headers: headers)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Reading captures` {
    @Test func `what the record has decided holds, although the queue has given the capture up`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle(isGivenUp: true)
            let status = try await gateway.status(id)
            #expect(status.data?["status"] == .string("verified") && status.data?["reason"] == .null)
        }
    }

    /// Whoever hands captures off makes their ids.
    @Test func `a device whose capture has the id of another one's result is not told that result`() async throws {
        try await CapturesGateway.run { gateway in
            let (rooms, id) = (gateway.rooms, try await gateway.accepted())
            let lease = try #require(
                try await rooms.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let owner = DeviceID(UUID())
            var maker = SubmissionMaker(seed: 1)
            let earlier = maker.submission(of: owner, id: id, receivedAt: rooms.time.now)
            let now = rooms.time.now
            _ = try await rooms.store.settle(
                [
                    VerifiedCapture(
                        job: CaptureJob(
                            submission: earlier, receivedAt: now, claimedAt: now, attempts: 1, redriven: false),
                        device: nil, clientDataHash: .hash([]), counter: nil, checks: [], rejection: .deviceUnknown,
                        confidence: .none, capturedAt: nil, verifiedAt: now)
                ], policy: .strict)
            let item = LaneSettlement.Item(id: id, disposition: .dead(.internal, fault: "the id is another one's"))
            _ = try await rooms.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)])
            let lookup = CaptureLookup(queue: rooms.queue, store: rooms.store, intake: nil)
            #expect(try await lookup.status(of: id, for: .device(rooms.device)).state == .failed)
            #expect(try await lookup.status(of: id, for: .device(owner)).state == .rejected)
        }
    }

    @Test func `the words of servers on a fault are for tokens, and not for the device`() async throws {
        try await CapturesGateway.run { gateway in
            let (rooms, id) = (gateway.rooms, try await gateway.accepted())
            let words = "55P03: lock timeout at 10.0.0.7"
            let lease = try #require(
                try await rooms.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let item = LaneSettlement.Item(id: id, disposition: .dead(.attemptsExhausted, fault: words))
            _ = try await rooms.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)])
            #expect(try await gateway.status(id).data?["fault"] == .string(words))
            let own = try await gateway.status(id, "", gateway.credentials(rooms.phone, rooms.device))
            #expect(own.data?["status"] == .string("failed") && own.data?["fault"] == .null)
            #expect(own.data?["reason"] == .string("ATTEMPTS_EXHAUSTED"), "what it means for the device is told")
        }
    }

    @Test func `the status follows the capture`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let queued = try await gateway.status(id)
            #expect(queued.data?["status"] == .string("queued"))
            #expect(queued.data?["device_id"] == .string("\(gateway.rooms.device)"))
            #expect(queued.data?["verdict"] == .null)
            #expect(queued.headers.first(name: "Retry-After") == "1")
            try await gateway.settle()
            let verified = try await gateway.status(id)
            #expect(verified.data?["status"] == .string("verified"))
            #expect(verified.data?["verdict"] == .string("verified"))
            #expect(verified.data?["confidence"] == .string("high"))
            #expect(verified.data?["attempts"] == .whole(1))
            #expect(verified.data?["timings"]?["queue_ms"] == .whole(0))
            #expect(verified.data?["timings"]?["verify_ms"] == .fraction(1.5))
            #expect(verified.data?["timings"]?["settle_ms"] == .whole(2))
            #expect(verified.headers.first(name: "Retry-After") == nil)
        }
    }

    @Test func `a rejected capture says why`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle(.photoMalformed)
            let status = try await gateway.status(id)
            #expect(status.data?["status"] == .string("rejected"))
            #expect(status.data?["reason"] == .string("PHOTO_MALFORMED"))
            #expect(status.data?["explanation"]?.string != nil)
            #expect(status.data?["confidence"] == .string("none"))
        }
    }

    @Test func `the record answers for captures that the queue has forgotten`() async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.statusesMax = 0
        try await CapturesGateway.run(limits: limits) { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            #expect(try await gateway.rooms.queue.status(of: [id])[0] == nil)
            #expect(try await gateway.status(id).data?["status"] == .string("verified"))
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
            #expect(try await gateway.rooms.queue.status(of: [id])[0] != nil)
            let before = try await gateway.status(id)
            _ = try await gateway.accepted(seed: 2)
            try await gateway.settle()
            #expect(try await gateway.rooms.queue.status(of: [id])[0] == nil)
            let after = try await gateway.status(id)
            #expect(after.data == before.data)
            for moment in ["received_at", "claimed_at", "settled_at"] { #expect(after.data?[moment]?.string != nil) }
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
            #expect(before.data?["compromised_since"] == .null)
            let tag = try #require(before.headers.first(name: "ETag"))
            let rooms = gateway.rooms
            let since = rooms.time.now.advanced(by: .seconds(-60))
            let marked = try await rooms.store.compromise(
                rooms.device, since: since, at: rooms.time.now, reason: "stolen", actor: "alice")
            #expect(marked == 1)

            let told = JSONValue.string(since.rfc3339)
            let after = try await gateway.status(id, "", CapturesGateway.dashboard + [("If-None-Match", tag)])
            #expect(after.status == 200 && after.data?["compromised_since"] == told)
            #expect(after.data?["status"] == .string("verified"), "a verdict is for good")
            let many = try await gateway.send(
                .POST, "/api/v1/captures/status",
                headers: CapturesGateway.dashboard + [("Content-Type", "application/json")],
                body: Array(#"{"capture_ids": ["\#(id)"]}"#.utf8))
            #expect(many.data?["captures"]?.array?.first?["compromised_since"] == told)
            let record = try await gateway.send(
                .GET, "/api/v1/captures/\(id)/provenance", headers: CapturesGateway.dashboard)
            #expect(record.data?["compromised_since"] == told)
        }
    }

    @Test func `a version that the caller has is 304`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let tag = try #require(try await gateway.status(id).headers.first(name: "ETag"))
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
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
            await gateway.rooms.changes.untilWatched(id)
            try await gateway.settle()
            gateway.rooms.changes.tell(
                StateChange(capture: id, device: gateway.rooms.device, state: .verified))
            #expect(try await answer.data?["status"] == .string("verified"))
        }
    }

    /// Whoever is held back is looked up once more when the wait is over.
    @Test func `a long poll answers at once what the caller does not know yet`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let before = gateway.rooms.queue.looks
            let stale = CapturesGateway.dashboard + [("If-None-Match", "\"stale\"")]
            #expect(try await gateway.status(id, "?wait=30", stale).status == 200)
            #expect(gateway.rooms.queue.looks == before + 1, "it was held back")
            try await gateway.settle()
            #expect(try await gateway.status(id, "?wait=30").data?["status"] == .string("verified"))
            #expect(gateway.rooms.queue.looks == before + 2, "it was held back")
        }
    }

    @Test func `a long poll ends with its time`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let (before, start) = (gateway.rooms.queue.looks, ContinuousClock.now)
            #expect(try await gateway.status(id, "?wait=1").data?["status"] == .string("queued"))
            let took = start.duration(to: .now)
            #expect(took >= .seconds(1) && took < .seconds(15), "\(took)")
            #expect(gateway.rooms.queue.looks == before + 2, "nobody watched")
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

    @Test func `only the owner and tokens learn that a capture exists`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            let owner = (phone: gateway.rooms.phone, id: gateway.rooms.device)
            let other = try await gateway.otherDevice()
            for suffix in ["", "/provenance"] {
                let path = "/api/v1/captures/\(id)\(suffix)"
                #expect(try await gateway.send(.GET, path).status == 401)
                #expect(try await gateway.send(.GET, path, headers: CapturesGateway.dashboard).status == 200)
                let own = try gateway.credentials(owner.phone, owner.id)
                #expect(try await gateway.send(.GET, path, headers: own).status == 200)
                let others = try await gateway.send(
                    .GET, path, headers: gateway.credentials(other.phone, other.id))
                #expect(others.status == 404)
                let unknown = try await gateway.send(
                    .GET, "/api/v1/captures/00000000-0000-7000-8000-000000000000\(suffix)",
                    headers: gateway.credentials(other.phone, other.id))
                #expect(others.code == unknown.code)
                #expect(others.json["error"] == unknown.json["error"])
                #expect(
                    try await gateway.send(
                        .GET, "/api/v1/captures/nonsense\(suffix)", headers: CapturesGateway.dashboard
                    ).code == "CAPTURE_NOT_FOUND")
            }
        }
    }

    @Test func `many statuses come in the order asked, without others' and unknown ones`() async throws {
        try await CapturesGateway.run { gateway in
            let first = try await gateway.accepted(seed: 1)
            let second = try await gateway.accepted(seed: 2)
            let asked = ["\(second)", "00000000-0000-7000-8000-000000000000", "\(first)"]
            let body = Array(#"{"capture_ids": ["\#(asked.joined(separator: "\", \""))"]}"#.utf8)
            let json = [("Content-Type", "application/json")]
            func ids(_ answer: CapturesAnswer) -> [String?]? {
                answer.data?["captures"]?.array?.map { $0["capture_id"]?.string }
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
            #expect(answer.status == 400)
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
            #expect(early.code == "CAPTURE_NOT_FOUND")
            try await gateway.settle()
            let data = try #require(try await gateway.send(.GET, path, headers: CapturesGateway.dashboard).data)
            #expect(data["verdict"] == .string("verified"))
            #expect(data["key_id"] == .string(gateway.rooms.phone.keyID.description))
            #expect(data["photo_sha256"] == .string(SHA256Digest.hash(capture.capture.photo).hex))
            #expect(data["counter"] == .whole(1))
            #expect(data["counter_policy"] == .string("strict"))
            #expect(data["binding"] == .string("concat-v1"))
            #expect(data["attestation_level"] == .string("secure_enclave"))
            #expect(data["checks"]?.array?.contains { $0["name"] == .string("counter") } == true)
            #expect(data["processor_version"] == .string(ProcessorVersion.current))
            #expect(!"\(data)".contains("location") && !"\(data)".contains("latitude"))
        }
    }

    @Test func `an outage while reading is 503`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            gateway.rooms.queue.fail(everything: true)
            let answer = try await gateway.status(id)
            #expect(answer.status == 503)
            #expect(answer.headers.first(name: "Retry-After") != nil)
        }
    }
}
