import CaptureModel
import CaptureOperations
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import NIOHTTP1
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(2))) struct `A compromised key` {
    private static let authorization: HTTPHeaders = ["Authorization": "Bearer \(GatewayFixture.operatorToken)"]

    /// Reasons, the longer ones of letters that take two bytes each, and whether they are taken.
    private static let reasons = [
        ("", false), ("x", true), (String(repeating: "é", count: RevocationReason.bytesMax / 2), true),
        (String(repeating: "é", count: RevocationReason.bytesMax / 2 + 1), false), ("lost\0", false),
    ]

    /// A minute before the gateway's time.
    private static func since(_ fixture: GatewayFixture) -> Timestamp { fixture.time.now.advanced(by: .seconds(-60)) }

    /// A gateway with operators and a registry, whose archive has one capture of a compromised key.
    private static func fixture() throws -> GatewayFixture {
        let plain = try GatewayFixture()
        let result = ArchivedCapture.Result(
            verdict: .verified, reason: nil, confidence: .high, counter: 1, counterHighest: 1, attempts: 1,
            isRedriven: false, verifiedAt: plain.time.now, compromisedSince: since(plain))
        let capture = ArchivedCapture(
            id: CaptureID(UUID()), device: DeviceID(UUID()), receivedAt: plain.time.now, result: result)
        var fixture = plain.withOperators(archive: ListedArchive(captures: [capture]))
        var registry = MemoryRegistry(store: fixture.store)
        registry.standing = ReceiptStanding(
            outcome: .notYet, reason: .status(304), attempts: 0, receivedAt: plain.time.now, askedAt: nil, nextAt: nil)
        registry.summaries = ["26.1", "26.2"].map {
            AttestationSummary(
                at: plain.time.now, model: "iPhone17,1", osVersion: $0, bundleVersion: nil, validationCategory: nil)
        }
        fixture.dependencies.registry = registry
        return fixture
    }

    /// A verified capture of a registered device.
    private static func verified(_ device: DeviceID, _ fixture: GatewayFixture) async throws -> CaptureID {
        var maker = SubmissionMaker(seed: 5)
        let now = fixture.time.now
        let submission = maker.submission(of: device, receivedAt: now)
        let capture = ExaminedCapture(
            job: CaptureJob(submission: submission, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false),
            clientDataHash: .hash([1]), checks: [Check(.assertion, .pass)],
            outcome: .of(try await fixture.store.devices([device])[device], counter: 1), capturedAt: nil,
            verifiedAt: now)
        let decisions = try await fixture.store.settle([capture], policy: .strict)
        #expect(decisions.map(\.verdict) == [.verified])
        return submission.id
    }

    @Test func `a compromised key is told wherever a device or a capture is, as the description says`() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let schemas = try await gateway.get("/openapi.json").json["components"]["schemas"]
            func check(_ schema: JSONValue?, _ data: JSONValue?, sourceLocation: SourceLocation = #_sourceLocation) {
                let there = Set(data.members.keys)
                #expect(
                    Set(schema["required"].elements.compactMap(\.string)).isSubset(of: there),
                    sourceLocation: sourceLocation)
                #expect(there.isSubset(of: Set(schema["properties"].members.keys)), sourceLocation: sourceLocation)
            }
            let device = try await fixture.register(fixture.phone, gateway)
            let capture = try await Self.verified(device, fixture)
            let since = Self.since(fixture).rfc3339
            let revoked = try await gateway.post(
                "/api/v1/devices/\(device)/revoke", ["reason": "stolen", "compromised_since": .string(since)],
                headers: Self.authorization)
            #expect(revoked.status == 200 && revoked.data["affected_results"] == .whole(1))
            #expect(revoked.data["affected_results_or_more"] == .bool(false), "all of them were counted")
            check(schemas["Revocation"], revoked.data)

            func data(_ path: String) async throws -> JSONValue? {
                try await gateway.get("/api/v1/\(path)", token: GatewayFixture.readToken).data
            }
            let listed = try await data("devices")["devices"].elements
            #expect(listed.map { $0["compromised_since"].string } == [since])
            check(schemas["DeviceSummary"], listed.first)
            #expect(listed.map { $0["platform"].string } == ["ios"])
            let shown = try await data("devices/\(device)")
            #expect(shown["device"]["compromised_since"].string == since && shown["compromised_since"].string == since)
            #expect(shown["compromised_reason"] == "stolen")
            #expect(shown["compromised_by"].string?.hasPrefix("operator ") == true)
            #expect(shown["attestations"].elements.count == 2 && shown["receipt"]["outcome"] == "not_yet")
            check(schemas["DeviceDetails"], shown)
            let captures = try await data("captures")["captures"].elements
            #expect(captures.map { $0["compromised_since"].string } == [since])
            let item = schemas["CaptureList"]["properties"]["captures"]["items"]
            check(item, captures.first)
            let status = try await data("captures/\(capture)")
            #expect(status["compromised_since"].string == since && status["status"] == "verified")
            check(schemas["CaptureStatus"], status)
            let evidence = try await gateway.get(
                "/api/v1/captures/\(capture)/evidence", token: GatewayFixture.operatorToken
            ).data
            #expect(evidence["result"]["compromised_since"].string == since)
            check(schemas["Evidence"], evidence)
            check(schemas["Evidence"]["properties"]["result"], evidence["result"])
        }
    }

    @Test func `a compromised key is noted by the form that revokes, and red on every page of what it has signed`()
        async throws
    {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let capture = try await Self.verified(device, fixture)
            let login = try await DashboardLogin(gateway)
            let own = "/dashboard/devices/\(device)"
            let before = try await login.get(own)
            #expect(before.text.contains(#"name="compromised""#))
            #expect(!before.text.contains("What was verified since then"))
            for words in ["Risk metric", "not yet (304)", "26.1", "26.2"] { #expect(before.text.contains(words)) }

            let since = Self.since(fixture).rfc3339
            let question = "preview=1&reason=stolen&compromised=1&from=\(PercentEncoding.encode(since))"
            let preview = try await login.get("\(own)?\(question)")
            #expect(preview.text.contains("are marked as of a compromised key"))
            let hidden = #"name="compromised" value="1""#
            #expect(preview.text.contains(hidden) && !before.text.contains(hidden))
            let form = [("from", since), ("reason", "stolen"), ("compromised", "1")]
            let done = try await login.post("\(own)/revoke", form)
            #expect(done.status == 303 && done.deed == "\(own)?done=compromised&count=1")
            #expect(try await login.get(done.location ?? "").text.contains("1 verified result is marked."))

            for page in [own, "/dashboard/devices", "/dashboard/captures", "/dashboard/captures/\(capture)"] {
                let text = try await login.get(page).text
                #expect(text.contains("chip bad") && text.contains("compromised since "), "\(page)")
            }
            #expect(try await login.get(own).text.contains("What was verified since then"))
            let trail = try await fixture.store.auditTrail(of: "\(device)", limit: 1)
            #expect(trail.map(\.action) == ["device.compromise"] && trail[0].actor.hasPrefix("alice (dashboard, "))
        }
    }

    /// As PostgreSQL's store has it.
    @Test func `a compromised key is noted for each registration that is changed, and for the one that is named`()
        async throws
    {
        let fixture = try GatewayFixture()
        let (store, now) = (fixture.store, fixture.time.now)
        let key = fixture.phone
        func register(_ level: AttestationLevel) async throws -> DeviceID {
            let device = Device(
                id: DeviceID(UUID()), keyID: key.keyID,
                key: .of(level, publicKey: key.publicKey, appID: key.appID, reason: Device.attestationMissing),
                platform: "ios", model: key.model, hasLidar: true, revokedAt: nil, registeredAt: now)
            let registration = DeviceRegistration(
                device: device, attestationObject: [1], clientDataHash: [1], certificateChain: [], receipt: [],
                osVersion: nil, validationCategory: nil, bundleVersion: nil)
            #expect(try await store.register(registration) == .created)
            return device.id
        }
        let devices = [try await register(.unverified), try await register(.secureEnclave)]
        for (ago, expected) in [(60, [1, 1]), (30, [1, 2])] {
            _ = try await store.compromise(
                devices[1], since: now.advanced(by: .seconds(-ago)), reason: "stolen", actor: "alice")
            var noted: [Int] = []
            for device in devices {
                let trail = try await store.auditTrail(of: "\(device)", limit: 10)
                noted.append(trail.count { $0.action == "device.compromise" })
            }
            #expect(noted == expected)
        }
    }

    @Test func `a compromised key is not what a device is only revoked for`() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let form = [("from", Self.since(fixture).rfc3339), ("reason", "lost"), ("compromised", "")]
            let done = try await login.post("/dashboard/devices/\(device)/revoke", form)
            #expect(done.deed?.hasSuffix("?done=revoked&count=1") == true)
            let trail = try await fixture.store.auditTrail(of: "\(device)", limit: 1)
            #expect(trail.map(\.action) == ["device.revoke"] && trail.map(\.at) == [fixture.time.now])
            let record = try #require(try await fixture.store.record(of: device))
            #expect(record.compromise == nil)
        }
    }

    @Test func `a compromised key is answered with the moment that holds: of two the earlier one`() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let first = Self.since(fixture)
            let (later, earlier) = (first.advanced(by: .seconds(30)), first.advanced(by: .seconds(-30)))
            let moments: [(since: Timestamp?, held: Timestamp)] = [
                (first, first), (later, first), (nil, first), (earlier, earlier),
            ]
            for (since, held) in moments {
                var form: JSONValue? = ["reason": "stolen"]
                form["compromised_since"] = since.map { JSONValue.string($0.rfc3339) }
                let answer = try await gateway.post(
                    "/api/v1/devices/\(device)/revoke", form, headers: Self.authorization)
                #expect(answer.status == 200 && answer.data["revoked_at"].string == held.rfc3339)
            }
        }
    }

    /// The gateway's clock may be behind, and what is verified until the record has the key was received before.
    @Test func `a compromised key is revoked from now on by the record's clock, and not by the gateway's`() async throws
    {
        var made = try Self.fixture()
        let later = made.time.now.advanced(by: .seconds(3))
        made.dependencies.store = MemoryCaptureStore(time: { later })
        let fixture = made
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let answer = try await gateway.post(
                "/api/v1/devices/\(device)/revoke", ["reason": "lost"], headers: Self.authorization)
            #expect(answer.status == 200 && answer.data["revoked_at"].string == later.rfc3339)
        }
    }

    @Test func `a compromised key has a list of what it signed, which a device that is not there has not`() async throws
    {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let known = try await gateway.get("/api/v1/devices/\(device)/affected", token: GatewayFixture.readToken)
            #expect(known.status == 200 && known.data["results"] == .array([]))
            let nobody = "/api/v1/devices/\(UUID())/affected"
            let unknown = try await gateway.get(nobody, token: GatewayFixture.readToken)
            #expect(unknown.status == 404 && unknown.code == "DEVICE_UNKNOWN")
        }
    }

    @Test(arguments: reasons)
    func `a compromised key has a reason by one rule, by the API and by the form`(reason: String, isTaken: Bool)
        async throws
    {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let asked = try await gateway.post(
                "/api/v1/devices/\(device)/revoke", ["reason": .string(reason)],
                headers: Self.authorization)
            #expect(asked.status == (isTaken ? 200 : 400))
            let login = try await DashboardLogin(gateway)
            let form = [("from", Self.since(fixture).rfc3339), ("reason", reason)]
            let sent = try await login.post("/dashboard/devices/\(device)/revoke", form)
            #expect(sent.status == (isTaken ? 303 : 400))
            if !isTaken {
                #expect(asked.field == "reason" && sent.text.contains(RevocationReason.rule))
                let preview = try await login.get(
                    "/dashboard/devices/\(device)?preview=1&reason=\(PercentEncoding.encode(reason))")
                #expect(preview.text.contains("Say a reason of \(RevocationReason.rule) first"))
            }
        }
    }
}
