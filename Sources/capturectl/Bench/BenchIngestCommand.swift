import ArgumentParser
import CaptureCrowd
import DeviceSimulator

/// `capturectl bench ingest`.
struct BenchIngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Measures uploads through a gateway, next to what Redis can store at all.",
        usage: "capturectl bench ingest [<options>]",
        discussion: """
            Starts a Redis, a PostgreSQL and a gateway of its own with the settings of production, and uploads genuine \
            signed captures over so many connections at a time; a 202 ends an upload. Then redis-benchmark stores as \
            many values of the same size in the same Redis. The uploading client shares the machine with all of them.

            Examples:
              capturectl bench ingest
              capturectl bench ingest --size 3MB --connections 8 --captures 300 --json

            \(BenchCommand.help)
            """
    )

    @Option(
        help: """
            Size of a bundle, photo and depth map together, \(SyntheticCapture.bundleBytesMin) to 10000000; \
            \(ByteCount.forms).
            """)
    var size = ByteCount(100_000)

    @Option(help: "Uploads under way at a time, 1 to 256.")
    var connections = 16

    @Option(help: "Uploads, up to 1000000, and no fewer than --connections.")
    var captures = 2_000

    @OptionGroup var stage: StageOptions

    func validate() throws {
        guard (1...256).contains(connections) else { throw ValidationError("--connections takes 1 to 256") }
        guard (connections...1_000_000).contains(captures) else {
            throw ValidationError("--captures takes the number of connections to 1000000")
        }
        guard (SyntheticCapture.bundleBytesMin...10_000_000).contains(size.bytes) else {
            throw ValidationError("--size takes \(SyntheticCapture.bundleBytesMin) to 10000000 bytes")
        }
        guard size.bytes * captures <= BenchStage.bytesMax / 2 else {
            throw ValidationError("--size times --captures is more than \(TerminalText.bytes(BenchStage.bytesMax / 2))")
        }
    }

    func run() async throws {
        let report = try await IngestBench(
            bundleBytes: size.bytes, connections: connections, uploads: captures, settings: stage.settings,
            seed: stage.seed
        ).run()
        try printAnswer(stage.json ? JSONText.write(report) : report.text)
    }
}
