import AsyncHTTPClient
import CaptureCrowd
import CaptureModel
import DeviceSimulator
import GatewayClient
import PrivateServers

/// Uploads captures through a gateway, and compares that with Redis's own storing speed.
///
/// Phones do the signing, so everything is signed before the time is taken.
struct IngestBench: Sendable {
    let bundleBytes: Int
    let connections: Int
    let uploads: Int
    let settings: String
    let seed: UInt64

    private let progress = BenchProgress()

    func run() async throws -> IngestReport {
        progress.stage("starting Redis, PostgreSQL and a gateway")
        return try await BenchStage.run(settings: settings) { stage in
            var generator = SeededGenerator(seed: seed)
            let crowd = try await Crowd.register(
                connections, appID: BenchStage.appID, in: stage.store, at: Timestamp.systemTime(), using: &generator)
            let capture = try SyntheticCapture.bundle(
                bytes: bundleBytes, seed: seed, capturedAt: Timestamp.systemTime())
            let gateway = try await startGateway(stage)
            progress.stage("signing \(TerminalText.count(uploads, "capture"))")
            let signed = try sign(capture, by: crowd)
            progress.stage("uploading \(TerminalText.count(uploads, "capture")) of \(TerminalText.bytes(bundleBytes))")
            let started = ContinuousClock.now
            let times = try await HTTPClient.withHTTPClient(configuration: GatewayClient.httpConfiguration) { http in
                let client = GatewayClient(.init(url: gateway.url), http: http)
                return try await upload(capture, signed, through: client)
            }
            let seconds = started.duration(to: .now) / .seconds(1)
            guard let figures = gateway.process.figures() else { throw BenchFailed("the gateway has ended") }
            gateway.process.signal(15)
            _ = try await gateway.process.exitCode()
            progress.stage("storing as many values with redis-benchmark")
            let bare = try await storesPerSecond(stage)
            return IngestReport(
                bundleBytes: bundleBytes, connections: connections, uploads: times.count, seconds: seconds,
                times: Percentiles(times), gateway: figures, bareStoresPerSecond: bare)
        }
    }

    private func startGateway(_ stage: BenchStage) async throws -> (process: LeashedProcess, url: String) {
        let process = try LeashedProcess(
            Programs.path("capture-gateway"), ["--gateway-port", "0"] + BenchStage.programArguments,
            environment: stage.environment)
        let line = try await process.line(containing: "listening on http://", within: BenchStage.startLimit)
        // Until it has looked at the servers' settings it puts uploads off.
        try await process.line(containing: "gateway is ready", within: BenchStage.startLimit)
        guard let url = line.split(separator: " ").first(where: { $0.hasPrefix("http://") }) else {
            throw BenchFailed("the gateway did not say where it listens")
        }
        return (process, String(url))
    }

    /// Signs each device's assertions, one for each of its uploads.
    private func sign(
        _ capture: SyntheticCapture, by crowd: Crowd
    ) throws -> [(device: DeviceID, assertions: [[UInt8]])] {
        let hash = CaptureSigner.clientDataHash(of: capture, binding: .concatV1).bytes
        return try crowd.devices.enumerated().map { place, member in
            (member.id, try (0..<uploads(of: place)).map { _ in try member.device.assertion(clientDataHash: hash) })
        }
    }

    /// How many uploads a connection makes: all make equally many, or the first ones one more than the others.
    func uploads(of connection: Int) -> Int {
        uploads / connections + (connection < uploads % connections ? 1 : 0)
    }

    /// Uploads over one connection for each device, one upload after the other; returns the seconds of each.
    private func upload(
        _ capture: SyntheticCapture, _ signed: [(device: DeviceID, assertions: [[UInt8]])],
        through client: GatewayClient
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for (device, assertions) in signed {
                group.addTask {
                    var times: [Double] = []
                    for assertion in assertions {
                        let started = ContinuousClock.now
                        _ = try await client.upload(
                            CaptureUpload(
                                photo: capture.photo, depthMap: capture.depthMap, metadata: capture.metadata,
                                assertion: assertion),
                            device: device)
                        times.append(started.duration(to: .now) / .seconds(1))
                    }
                    return times
                }
            }
            var all: [Double] = []
            for try await times in group {
                all += times
                progress.count(all.count, of: uploads)
            }
            return all
        }
    }

    /// `SET`s of values of the same size per second, by Redis's own benchmark program.
    private func storesPerSecond(_ stage: BenchStage) async throws -> Double {
        let result = try await LeashedProcess.run(
            "redis-benchmark",
            stage.redis.cliAddress + [
                "-t", "set", "-d", "\(bundleBytes)", "-n", "\(uploads)", "-c", "\(connections)", "-r", "\(uploads)",
                "--csv",
            ])
        // "SET","12345.67",…
        let cells = result.output.split(separator: "\n").last { $0.hasPrefix("\"SET") }?.split(separator: ",") ?? []
        guard cells.count > 1, let rate = Double(cells[1].filter { $0 != "\"" }) else {
            throw LeashedProcess.Failure(description: "redis-benchmark: \(result.output)")
        }
        return rate
    }
}
