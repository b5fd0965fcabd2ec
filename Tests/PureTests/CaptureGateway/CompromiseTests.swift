import CaptureModel
import CaptureOperations
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(2))) struct `A compromised key` {
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
        let fixture = try CompromiseScene.fixture()
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
            let since = CompromiseScene.since(fixture).rfc3339
            let revoked = try await gateway.post(
                "/api/v1/devices/\(device)/revoke", ["reason": "stolen", "compromised_since": .string(since)],
                headers: CompromiseScene.authorization)
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
        let fixture = try CompromiseScene.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let capture = try await Self.verified(device, fixture)
            let login = try await DashboardLogin(gateway)
            let own = "/dashboard/devices/\(device)"
            let before = try await login.get(own)
            #expect(before.text.contains(#"name="compromised""#))
            #expect(!before.text.contains("What was verified since then"))
            for words in ["Risk metric", "not yet (304)", "26.1", "26.2"] { #expect(before.text.contains(words)) }

            let since = CompromiseScene.since(fixture).rfc3339
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

    @Test func `a compromised key has a list of what it signed, which a device that is not there has not`() async throws
    {
        let fixture = try CompromiseScene.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let known = try await gateway.get("/api/v1/devices/\(device)/affected", token: GatewayFixture.readToken)
            #expect(known.status == 200 && known.data["results"] == .array([]))
            let nobody = "/api/v1/devices/\(UUID())/affected"
            let unknown = try await gateway.get(nobody, token: GatewayFixture.readToken)
            #expect(unknown.status == 404 && unknown.code == "DEVICE_UNKNOWN")
        }
    }
}
