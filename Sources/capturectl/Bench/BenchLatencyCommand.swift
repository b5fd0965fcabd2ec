import ArgumentParser
import CaptureCrowd
import DeviceSimulator

/// `capturectl bench latency`.
struct BenchLatencyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Measures how long a capture takes from its sending to its result at a given rate.",
        usage: "capturectl bench latency [<options>]",
        discussion: """
            Captures are sent at fixed times, whatever became of those before, and each is timed from the moment at which \
            it should have been sent: a system that falls behind is charged for it. Servers, ledger, queue and workers \
            are those of `bench drain`; the time ends when the settled state is published.

            Examples:
              capturectl bench latency --rate 100
              capturectl bench latency --rate 3000 --seconds 20 --workers 2 --json

            \(BenchCommand.help)
            """
    )

    @Option(help: "Captures a second, 1 to 20000.")
    var rate = 100

    @Option(help: "Seconds for which captures are sent, 1 to 600.")
    var seconds = 10

    @Option(
        help: """
            Size of a bundle, photo and depth map together, \(SyntheticCapture.bundleBytesMin) to 20000000; \
            \(ByteCount.forms).
            """)
    var size = ByteCount(4_096)

    @Option(help: "Devices that take turns, 1 to 100000.")
    var devices = 500

    @Option(help: "Worker processes, 1 to 16.")
    var workers = 1

    @OptionGroup var stage: StageOptions

    func validate() throws {
        guard (1...20_000).contains(rate) else { throw ValidationError("--rate takes 1 to 20000") }
        guard (1...600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 600") }
        guard (1...100_000).contains(devices) else { throw ValidationError("--devices takes 1 to 100000") }
        guard (1...16).contains(workers) else { throw ValidationError("--workers takes 1 to 16") }
        guard (SyntheticCapture.bundleBytesMin...20_000_000).contains(size.bytes) else {
            throw ValidationError("--size takes \(SyntheticCapture.bundleBytesMin) to 20000000 bytes")
        }
        guard size.bytes * rate * seconds <= BenchStage.bytesMax else {
            throw ValidationError("--size times all captures is more than \(TerminalText.bytes(BenchStage.bytesMax))")
        }
    }

    func run() async throws {
        let report = try await LatencyBench(
            rate: rate, count: rate * seconds, bundleBytes: size.bytes, devices: devices, workers: workers,
            settings: stage.settings, seed: stage.seed
        ).run()
        try printAnswer(stage.json ? JSONText.write(report) : report.text)
    }
}
