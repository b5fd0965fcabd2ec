import ArgumentParser
import CaptureCrowd
import DeviceSimulator

/// `capturectl bench drain`.
struct BenchDrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Measures how fast worker processes empty a full queue.",
        usage: "capturectl bench drain [<options>]",
        discussion: """
            Starts a Redis and a PostgreSQL of its own with the settings of production, registers simulated devices, \
            queues genuine signed captures as a gateway does, and lets real worker processes drain them: once for each \
            number of workers. Worker settings come from CAPTURE_…, as in production. The bare cost of a capture's \
            SHA-256 and ECDSA is measured in the same run; compare ratios rather than times, as the share of a processor \
            that a virtual machine gets changes without showing.

            Examples:
              capturectl bench drain
              capturectl bench drain --results 10000,1000000 --workers 2
              capturectl bench drain --size 3MB --devices 100 --captures 400 \\
                  --workers 1,2 --json

            \(BenchCommand.limitHelp) The limits are those that were given.
            """
    )

    @Option(
        help: """
            Size of a bundle, photo and depth map together, \(SyntheticCapture.bundleBytesMin) to 20000000; \
            \(ByteCount.forms).
            """)
    var size = ByteCount(4_096)

    @Option(help: "Devices, 1 to 100000.")
    var devices = 1_000

    @Option(help: "Captures for each run, over all devices: a multiple of their number, up to 1000000.")
    var captures = 20_000

    @Option(help: "Numbers of worker processes, one run each: 1 to 16, separated by commas.")
    var workers = CountList([1, 2])

    @Option(
        help: """
            How many results of other devices, ten of each, the record has before the runs: tens, up to 2000000; \
            several, in ascending order, separated by commas.
            """)
    var results = CountList([0])

    @Option(help: "Fail when a capture costs its worker more than this many times its bare cryptography.")
    var workerRatioMax: Double?

    @Option(help: "Fail when a capture costs Redis and PostgreSQL together more than this many times that.")
    var serversRatioMax: Double?

    @Option(help: "Fail when a worker takes more memory than this, \(ByteCount.forms).")
    var workerMemoryMax: ByteCount?

    @OptionGroup var stage: StageOptions

    func validate() throws {
        guard (1...100_000).contains(devices) else { throw ValidationError("--devices takes 1 to 100000") }
        guard (devices...1_000_000).contains(captures) else {
            throw ValidationError("--captures takes the number of devices to 1000000")
        }
        guard captures.isMultiple(of: devices) else {
            throw ValidationError("--captures takes a multiple of --devices: each device has as many as any other")
        }
        guard workers.counts.allSatisfy({ (1...16).contains($0) }) else {
            throw ValidationError("--workers takes 1 to 16")
        }
        guard results.counts.allSatisfy({ (0...2_000_000).contains($0) && $0.isMultiple(of: PastResults.perDevice) }),
            results.counts == results.counts.sorted()
        else { throw ValidationError("--results takes tens from 0 to 2000000, in ascending order") }
        guard (SyntheticCapture.bundleBytesMin...20_000_000).contains(size.bytes) else {
            throw ValidationError("--size takes \(SyntheticCapture.bundleBytesMin) to 20000000 bytes")
        }
        guard size.bytes * captures <= BenchStage.bytesMax else {
            throw ValidationError("--size times --captures is more than \(TerminalText.bytes(BenchStage.bytesMax))")
        }
    }

    func run() async throws {
        let bench = DrainBench(
            bundleBytes: size.bytes, devices: devices, rounds: captures / devices, workers: workers.counts,
            results: results.counts, settings: stage.settings, seed: stage.seed)
        let report = try await bench.run()
        try printAnswer(stage.json ? JSONText.write(report) : report.text)
        let excesses = report.runs.compactMap { run in
            report.excess(
                of: run, workerMax: workerRatioMax, serversMax: serversRatioMax, memoryMax: workerMemoryMax?.bytes)
        }
        guard excesses.isEmpty else {
            standardError(excesses.joined(separator: "\n") + "\n")
            throw ExitCode.failure
        }
    }
}

/// `1,2,4` on the command line.
struct CountList: ExpressibleByArgument {
    let counts: [Int]

    init(_ counts: [Int]) {
        self.counts = counts
    }

    init?(argument: String) {
        let counts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        self.counts = counts.compactMap(\.self)
        guard !counts.contains(nil) else { return nil }
    }

    var defaultValueDescription: String { counts.map(String.init).joined(separator: ",") }
}
