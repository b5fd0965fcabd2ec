import CaptureModel
import CaptureQueue
import CaptureStore
import CoreMetrics
import DeviceSimulator
import NIOCore
import NIOHTTP1
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Uploading a capture` {
    @Test(arguments: Binding.allCases, PrecheckLevel.allCases)
    func `a genuine capture is accepted for good`(_ binding: Binding, _ precheck: PrecheckLevel) async throws {
        try await CapturesGateway.run {
            $0.uploads.precheck = precheck
        } _: { gateway in
            let capture = try gateway.capture(binding: binding)
            let answer = try await gateway.upload(capture)
            #expect(answer.status == 202)
            #expect(answer.data["status"] == .string("queued"))
            #expect(answer.data["duplicate"] == .bool(false))
            let id = try #require(answer.captureID)
            #expect(answer.headers.first(name: "Location") == "/api/v1/captures/\(id)")
            #expect(answer.headers.first(name: "Retry-After") == "1")
            let lease = try #require(
                try await gateway.backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first
            )
            guard case .valid(let job) = try #require(lease.jobs.first) else { throw UnexpectedGround() }
            #expect(job.id == id)
            #expect(job.submission.binding == binding)
            #expect(job.submission.assertion == capture.assertion)
            #expect(job.submission.metadata == capture.capture.metadata)
            #expect(job.submission.photoDigest == .hash(capture.capture.photo))
            #expect(job.submission.depthDigest == .hash(capture.capture.depthMap))
            let media = try #require(try await gateway.backend.bundles.fetch([job.submission])[0].media)
            #expect(Array(media.photo.readableBytesView) == capture.capture.photo)
            #expect(Array(media.depth.readableBytesView) == capture.capture.depthMap)
        }
    }

    @Test(arguments: 0..<24)
    func `parts come in any order`(_ order: Int) async throws {
        try await CapturesGateway.run {
            $0.uploads.precheck = .signature
        } _: { gateway in
            var parts = try gateway.capture().parts
            var shuffled: [FormPart] = []
            var rest = order
            while !parts.isEmpty {
                shuffled.append(parts.remove(at: rest % parts.count))
                rest /= parts.count + 1
            }
            #expect(try await gateway.upload(shuffled).status == 202)
        }
    }

    @Test func `the assertion may come as base64`() async throws {
        try await CapturesGateway.run {
            $0.uploads.precheck = .signature
        } _: { gateway in
            let capture = try gateway.capture()
            var parts = capture.parts
            parts[1] = FormPart("assertion", "text/plain", Array((capture.assertion.base64 + "\n").utf8))
            let first = try await gateway.upload(parts)
            #expect(first.status == 202)
            let second = try await gateway.upload(capture)
            #expect(second.captureID == first.captureID, "the same assertion in binary is the same bundle")
        }
    }

    @Test func `the same bundle again is the same capture and no second job`() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await CapturesGateway.run { gateway in
                let capture = try gateway.capture()
                let first = try await gateway.upload(capture)
                let second = try await gateway.upload(capture)
                #expect(second.status == 202)
                #expect(second.captureID == first.captureID)
                #expect(second.data["duplicate"] == .bool(true))
                #expect(try await gateway.backend.queue.load().captures == 1)
                #expect(gateway.backend.bundles.count == 1)
            }
        }
        let told = try StrictExposition(registry.render())
        for outcome in ["accepted", "duplicate"] {
            #expect(told.value("capture_uploads_total", ["outcome": outcome]) == "1")
        }
        #expect(told.value("capture_upload_bytes_count") == "1")
    }

    /// Whether it takes the capture is said when that is enqueued.
    @Test func `a queue that refuses to tell how full it is keeps no capture out`() async throws {
        try await CapturesGateway.run { gateway in
            gateway.backend.queue.refuseLoad()
            let upload = try await gateway.upload(gateway.capture())
            #expect(upload.status == 202)
        }
    }

    @Test func `a retry after a lost answer finds the first capture with its bytes`() async throws {
        try await CapturesGateway.run { gateway in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(enqueue: .answerLost)
            let first = try await gateway.upload(capture)
            #expect(first.status == 503)
            #expect(first.code == "UNAVAILABLE")
            #expect(gateway.backend.bundles.count == 1, "the capture was accepted: its bytes must stay")
            gateway.backend.queue.fail(enqueue: nil)
            let second = try await gateway.upload(capture)
            #expect(second.data["duplicate"] == .bool(true))
            #expect(gateway.backend.bundles.count == 1)
        }
    }

    @Test func `other bytes with the same assertion are another bundle`() async throws {
        try await CapturesGateway.run { gateway in
            let capture = try gateway.capture()
            var parts = capture.parts
            parts[3].bytes[7] ^= 1
            let first = try await gateway.upload(parts)
            let second = try await gateway.upload(capture)
            #expect(first.captureID != second.captureID)
            #expect(try await gateway.backend.queue.load().captures == 2)
        }
    }

    @Test func `a full queue refuses before the body and loses nothing`() async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.capturesMax = 1
        try await CapturesGateway.run(limits: limits) { gateway in
            #expect(try await gateway.upload(gateway.capture(seed: 1)).status == 202)
            // The gateway's knowledge is a moment old: the queue itself refuses, and the bytes are gone again.
            let behind = try await gateway.upload(gateway.capture(seed: 2))
            #expect(behind.status == 503)
            #expect(behind.code == "QUEUE_FULL")
            #expect(behind.headers.first(name: "Retry-After") == "5")
            #expect(gateway.backend.bundles.count == 1)
            gateway.backend.time.advance(by: .seconds(1))
            let head = gateway.uploadHead("Content-Length: 1000")
            let before = try await gateway.raw(Array(head.utf8))
            #expect(before.contains("QUEUE_FULL"), "answered although no byte of the body has come")
            #expect(try await gateway.backend.queue.load().captures == 1)
        }
    }

    @Test func `a queue without room for the bytes of an upload refuses before the body, too`() async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.bytesMax = 999
        try await CapturesGateway.run(limits: limits) { gateway in
            let answer = try await gateway.raw(Array(gateway.uploadHead("Content-Length: 1000").utf8))
            #expect(answer.contains("QUEUE_FULL"), "answered although no byte of the body has come")
        }
    }

    @Test func `an outage is 503 with Retry-After, leaks nothing and leaves nothing`() async throws {
        try await CapturesGateway.run { gateway in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(everything: true)
            let queueAway = try await gateway.upload(capture)
            #expect(queueAway.status == 503)
            #expect(queueAway.code == "UNAVAILABLE")
            #expect(queueAway.headers.first(name: "Retry-After") != nil)
            #expect(!"\(queueAway.json)".contains("10.0.0.7"))
            gateway.backend.queue.fail(everything: false)
            gateway.backend.queue.fail(enqueue: .away)
            #expect(try await gateway.upload(capture).status == 503)
            gateway.backend.queue.fail(enqueue: nil)
            await gateway.backend.store.fail(with: StoreError(.unavailable, "away"))
            #expect(try await gateway.upload(capture).status == 503)
            await gateway.backend.store.fail(with: nil)
            #expect(gateway.backend.bundles.count == 0)
            #expect(try await gateway.upload(capture).status == 202, "it recovers by itself")
        }
    }
}
