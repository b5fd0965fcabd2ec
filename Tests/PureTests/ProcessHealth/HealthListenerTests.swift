import CaptureModel
import CoreMetrics
import Logging
import Observability
import ProcessHealth
import ServiceLifecycle
import TestSupport
import Testing

@Suite("The port of a program that serves no requests", .timeLimit(.minutes(1)))
struct HealthListenerTests {
    /// More than the kernel keeps of answers that nobody reads, in a few of them.
    private static func manyMetrics() -> PrometheusRegistry {
        let registry = PrometheusRegistry()
        for metric in 0..<4 {
            for series in 0..<500 {
                let kind = String(repeating: "x", count: 120) + "\(series)"
                Counter(label: "m\(metric)", dimensions: [("kind", kind)], factory: registry).increment()
            }
        }
        return registry
    }

    private static func listener(_ log: LogRecorder, _ metrics: PrometheusRegistry) -> HealthListener {
        let time = ManualTime()
        let vitals = Vitals(
            registry: metrics, queue: MemoryCaptureQueue(time: time.source),
            store: MemoryCaptureStore(time: time.source), onAnswer: { _, _ in })
        return HealthListener(
            host: "127.0.0.1", port: 0, vitals: vitals, stallMax: .milliseconds(200), hasStarted: { true },
            logger: log.logger)
    }

    /// The port that the log names.
    private static func port(in log: LogRecorder) async throws -> Int {
        try await eventually { !log.lines.isEmpty }
        let port = try #require(log.lines.first?.split(separator: ":").last?.split(separator: "/").first)
        return try #require(Int(port))
    }

    /// A supervisor would end a worker that does its work.
    @Test func `connections that say nothing keep no probe out`() async throws {
        let log = LogRecorder(from: .notice)
        let group = ServiceGroup(services: [Self.listener(log, PrometheusRegistry())], logger: .quiet)
        let running = Task { try await group.run() }
        defer { running.cancel() }
        let number = try await Self.port(in: log)
        let first = try RawConnection(port: number)
        try await first.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await first.read { $0.hasSuffix("}") }
        var silent: [RawConnection] = []
        for _ in 0..<40 { silent.append(try RawConnection(port: number)) }
        let probe = try RawConnection(port: number)
        try await probe.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try await probe.read().hasPrefix("HTTP/1.1 200 "))
        // The oldest have given way, and not the newest.
        #expect(try await first.read().isEmpty)
        try await silent[39].send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try await silent[39].read().hasPrefix("HTTP/1.1 200 "))
        await group.triggerGracefulShutdown()
        try await running.value
    }

    /// The server has closed its side of each, and waits a minute for the client's.
    @Test(arguments: [
        ("nonsense\r\n\r\n", " 400 "), ("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", " 200 "),
    ])
    func `connections that stay after their last answer keep no probe out`(
        request: String, status: String
    ) async throws {
        let log = LogRecorder(from: .notice)
        let group = ServiceGroup(services: [Self.listener(log, PrometheusRegistry())], logger: .quiet)
        let running = Task { try await group.run() }
        defer { running.cancel() }
        let number = try await Self.port(in: log)
        var answered: [RawConnection] = []
        for _ in 0..<32 {
            let connection = try RawConnection(port: number)
            try await connection.send(request)
            #expect(try await connection.read().contains(status))
            answered.append(connection)
        }
        let probe = try RawConnection(port: number)
        try await probe.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try await probe.read().hasPrefix("HTTP/1.1 200 "))
        for connection in answered { connection.close() }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    /// Some dozens of such connections are all that there are: monitoring would find none.
    @Test func `whoever asks and takes no answers loses the connection`() async throws {
        let log = LogRecorder(from: .notice)
        let group = ServiceGroup(services: [Self.listener(log, Self.manyMetrics())], logger: .quiet)
        let running = Task { try await group.run() }
        defer { running.cancel() }
        let number = try await Self.port(in: log)
        let client = try RawConnection(port: number, receiveBytes: 4096)
        let request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
        // More than the kernel keeps: the rest can be sent only if the connection ends, and is refused then.
        let requests = String(repeating: request, count: (32 << 20) / request.utf8.count)
        await #expect(throws: (any Error).self) { try await client.send(requests) }
        let next = try RawConnection(port: number)
        try await next.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try await next.read().hasPrefix("HTTP/1.1 200 "))
        await group.triggerGracefulShutdown()
        try await running.value
    }
}
