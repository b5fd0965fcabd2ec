import CaptureModel
import NIOCore
import Testing
import Waiting

@testable import GatewayClient

@Suite struct `The gateway's client` {
    @Test func `the gateway's client writes an upload as RFC 7578 says`() throws {
        let upload = CaptureUpload(
            photo: [0xFF, 0xD8], depthMap: [1, 2, 3], metadata: Array("{}".utf8), assertion: [0xA0]
        )
        let form = upload.form()
        #expect(form.contentType.hasPrefix("multipart/form-data; boundary=capture-"))
        let boundary = try #require(form.contentType.split(separator: "=").last)
        #expect(boundary.utf8.count <= 70)
        var bytes = Array("--\(boundary)\r\n".utf8)
        bytes += Array("Content-Disposition: form-data; name=\"metadata\"\r\n".utf8)
        bytes += Array("Content-Type: application/json\r\n\r\n{}".utf8)
        #expect(Array(form.body.readableBytesView).starts(with: bytes))
        let end = Array("\r\n--\(boundary)--\r\n".utf8)
        #expect(Array(form.body.readableBytesView.suffix(end.count)) == end)
    }

    @Test func `the gateway's client waits as long as the gateway asks, within its own limit`() {
        let configuration = GatewayClient.Configuration(
            url: "http://localhost/", backoff: Backoff(base: .milliseconds(250), cap: .seconds(5)),
            askedPauseMax: .seconds(40), chance: { 1 })
        #expect(configuration.url == "http://localhost")
        #expect(configuration.pause(after: 1, asked: nil) == .milliseconds(250))
        #expect(configuration.pause(after: 3, asked: nil) == .seconds(1))
        #expect(configuration.pause(after: 60, asked: nil) == .seconds(5))
        #expect(configuration.pause(after: 1, asked: .seconds(2)) == .seconds(2))
        #expect(configuration.pause(after: 1, asked: .seconds(30)) == .seconds(30))
        #expect(configuration.pause(after: 1, asked: .seconds(60)) == .seconds(40))
        #expect(configuration.pause(after: 60, asked: .zero) == .seconds(5))
    }

    @Test func `the gateway's client does not come back with everybody else, unless the gateway says when`() {
        let configuration = GatewayClient.Configuration(url: "http://localhost")
        let pauses = (0..<100).map { _ in configuration.pause(after: 4, asked: nil) }
        #expect(Set(pauses).count > 50)
        #expect(pauses.allSatisfy { $0 > .milliseconds(199) && $0 <= .seconds(2) })
        #expect(configuration.pause(after: 4, asked: .seconds(3)) == .seconds(3))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", true), ("https://gateway.example", true), ("HTTP://[::1]:8080/", true),
        ("http+unix://%2Frun%2Fgateway.sock", true), ("http://gateway.example/prefix", true),
        ("localhost:8080", false), ("gateway.example", false), ("ftp://gateway.example", false), ("http://", false),
        ("http:///path", false), ("http+unix:///run/gateway.sock", false), ("http://host:0", false),
        ("http://host:70000", false), ("http://host?x", false), ("", false), ("http://a b", false),
    ])
    func `the gateway's client knows what is an address`(text: String, isOne: Bool) {
        #expect(GatewayClient.Configuration.isAddress(text) == isOne)
    }

    @Test func `the gateway's client reads a status with and without what is not known yet`() throws {
        let id = "01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"
        func status(_ text: String) throws -> CaptureStatus? {
            CaptureStatus(try JSONValue(json: text.utf8))
        }
        let queued = try #require(try status(#"{"capture_id": "\#(id)", "status": "queued", "reason": null}"#))
        #expect(queued.captureID.description == id && queued.state == .queued && queued.reason == nil)
        #expect(queued.timings.queue == nil)
        let rejected = try #require(
            try status(
                #"{"capture_id": "\#(id)", "status": "rejected", "reason": "COUNTER_REPLAY", "confidence": "none", "#
                    + #""attempts": 2, "compromised_since": "2026-04-21T00:00:00.000Z", "#
                    + #""timings": {"queue_ms": 12, "verify_ms": 1.5, "settle_ms": null}}"#
            )
        )
        #expect(rejected.reason == "COUNTER_REPLAY" && rejected.confidence == Confidence.none)
        #expect(rejected.attempts == 2 && rejected.timings.queue == .milliseconds(12))
        #expect(rejected.compromisedSince == "2026-04-21T00:00:00.000Z" && queued.compromisedSince == nil)
        #expect(rejected.timings.verify == .microseconds(1500) && rejected.timings.settle == nil)
        let absurd = try status(
            #"{"capture_id": "\#(id)", "status": "queued", "attempts": 1e300, "timings": {"queue_ms": 93e14}}"#)
        #expect(absurd != nil && absurd?.attempts == nil && absurd?.timings.queue == nil)
        #expect(try status(#"{"capture_id": "x", "status": "queued"}"#) == nil)
        #expect(try status(#"{"capture_id": "\#(id)", "status": "lost"}"#) == nil)
    }
}
