import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Back-pressure", .timeLimit(.minutes(5)))
struct BackPressureTests {
    @Test(arguments: [
        ["CAPTURE_QUEUE_CAPTURES_MAX": "1"],
        [
            "CAPTURE_QUEUE_BYTES_MAX": "1MiB", "CAPTURE_CAPTURE_PHOTO_BYTES_MAX": "800KiB",
            "CAPTURE_CAPTURE_DEPTH_BYTES_MAX": "192KiB",
        ],
    ])
    func `a queue that is full, by captures or by bytes, says so before it asks for the body`(
        limits: [String: String]
    ) async throws {
        let stack = try await Stack.start(settings: limits)
        let gateway = try await stack.gateway()
        let endpoint = try await GatewayEndpoint(gateway.process)
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let photoBytes = limits["CAPTURE_QUEUE_BYTES_MAX"] == nil ? 24_000 : 800_000
        _ = try await phone.upload(try phone.shoot(seed: 1, photoBytes: photoBytes))
        // The gateway's knowledge of the queue is a moment old at the most.
        try await eventually {
            let connection = try RawConnection(port: endpoint.port)
            try await connection.send(
                GatewayEndpoint.uploadHead(of: phone.id, "Content-Length: 400000", "Expect: 100-continue"))
            let answer = try await connection.read { $0.hasSuffix("}") || $0.contains("100 Continue") }
            guard !answer.contains("100 Continue") else { return false }
            #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("QUEUE_FULL"), "\(answer)")
            #expect(answer.lowercased().contains("retry-after: "))
            return true
        }
        let refused = try await endpoint.upload(try phone.shoot(seed: 2, photoBytes: photoBytes), as: phone.id)
        #expect(refused.status == 503 && refused.code == "QUEUE_FULL" && refused.retryAfter != nil)
    }

    @Test func `a Redis that is full refuses captures with 503, drains, and takes them again`() async throws {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        let endpoint = try await GatewayEndpoint(gateway.process)
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        var accepted: [CaptureID] = []
        for seed in 1...20 { accepted.append(try await phone.upload(try phone.shoot(seed: UInt64(seed)))) }
        try await stack.redis.cli("CONFIG", "SET", "maxmemory", "1")
        let late = try phone.shoot(seed: 21)
        let refused = try await endpoint.upload(late, as: phone.id)
        #expect(refused.status == 503 && refused.code == "UNAVAILABLE" && refused.retryAfter != nil, "\(refused)")
        let worker = try stack.worker()
        for capture in accepted { #expect(try await phone.settled(capture).state == .verified) }
        try await stack.redis.cli("CONFIG", "SET", "maxmemory", "0")
        #expect(try await phone.settled(try await phone.upload(late)).state == .verified)
        try await worker.expectStop()
    }

    @Test func `a slow PostgreSQL delays verdicts, changes none, and fills no memory`() async throws {
        let stack = try await Stack.start(settings: [
            "CAPTURE_POSTGRES_STATEMENT_TIMEOUT": "300ms", "CAPTURE_WORKER_RETRY_CAP": "500ms",
            // On a busy machine every statement is a slow one now and then.
            "CAPTURE_WORKER_ATTEMPTS_MAX": "1000",
        ])
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(8, in: store)
            let capture = try SyntheticCapture(seed: 4, photoBytes: 3_000_000, capturedAt: Timestamp(Date()))
            let accepted = try await crowd.enqueue(rounds: 6, sharing: capture, queue: queue, bundles: bundles)
            try await stack.psql(
                """
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$;
                CREATE TRIGGER slow BEFORE INSERT ON captures FOR EACH STATEMENT EXECUTE FUNCTION slow();
                """)
            let worker = try stack.worker()
            // Statements are ended by the server, again and again, and their captures are tried again.
            try await worker.line(containing: "put off")
            try await stack.psql("DROP TRIGGER slow ON captures")
            try await drain(queue)
            let results = try await store.results(of: Array(accepted.keys))
            #expect(results.count == accepted.count && results.values.allSatisfy { $0.verdict == .verified })
            let peak = try #require(worker.peakMemoryBytes)
            #expect(peak < 400 << 20, "peak \(peak >> 20) MiB")
            try await worker.expectStop()
        }
    }

    @Test func `thirty-two uploads of ten megabytes at once stay within what a gateway may hold`() async throws {
        let stack = try await Stack.start(settings: [
            "CAPTURE_GATEWAY_UPLOAD_BYTES_IN_FLIGHT_MAX": "48MiB", "CAPTURE_GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8",
            // None is too slow, however busy the machine is.
            "CAPTURE_GATEWAY_UPLOAD_IDLE_TIMEOUT": "600s", "CAPTURE_GATEWAY_UPLOAD_TIMEOUT": "3600s",
        ])
        let gateway = try await stack.gateway()
        let endpoint = try await GatewayEndpoint(gateway.process)
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let body = GatewayEndpoint.form(try phone.shoot(seed: 1, photoBytes: 10_000_000))
        let before = try #require(gateway.process.peakMemoryBytes)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<32 {
                group.addTask {
                    let connection = try RawConnection(port: endpoint.port)
                    // One address would have three quarters of it at the most.
                    try await connection.send(
                        GatewayEndpoint.uploadHead(
                            of: phone.id, "Content-Length: \(body.count)", "Expect: 100-continue",
                            "X-Forwarded-For: 192.0.2.\(number)"))
                    let first = try await connection.read { $0.contains("\r\n\r\n") }
                    guard first.hasPrefix("HTTP/1.1 100") else { return first }
                    try await connection.send(body)
                    return try await connection.read { $0.hasSuffix("}") }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let taken = answers.count { $0.hasPrefix("HTTP/1.1 202") }
        let refused = answers.count { $0.hasPrefix("HTTP/1.1 503") && $0.lowercased().contains("retry-after: ") }
        #expect(taken >= 4 && taken + refused == 32, "\(answers.map { $0.prefix(12) })")
        let grown = try #require(gateway.process.peakMemoryBytes) - before
        print("32 x 10 MB: \(taken) taken, grown by \(grown >> 20) MiB")
        // What may be held, what a growing buffer leaves behind, and what the sockets read ahead: not 32 times 10 MB.
        #expect(grown < 3 * 48 << 20, "grown by \(grown >> 20) MiB")
        #expect(try await endpoint.upload(try phone.shoot(seed: 2), as: phone.id).status == 202)
    }
}
