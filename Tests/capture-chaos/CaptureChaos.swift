import ArgumentParser
package import ChaosKit
import Foundation

/// `capture-chaos`: breaks everything while captures are sent, and shows that every promise is kept.
@main
struct CaptureChaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture-chaos",
        abstract: "Break a private stack while captures are sent, and audit what became of them.",
        usage: "capture-chaos [<options>]",
        discussion: """
            Starts a Redis, a PostgreSQL, gateways and workers of its own; kills, freezes and restarts all of them, and \
            cuts, stalls and slows the connections between them, as the seed decides. Exits 0 only if nothing was \
            lost, nothing counted twice, nothing is left behind, and every kind of attack was tried; the last is not \
            asked of less than eight seconds.
            """
    )

    @Option(help: "Decides the faults and what is sent; another one each time unless given.")
    var seed: UInt64?

    @Option(help: "Seconds of load, 1 to 3600.")
    var seconds = 60

    @Option(help: "Phones that send, 1 to 500.")
    var devices = 24

    @Option(help: "Partitions of the queue: a power of two, 1 to 1024.")
    var partitions = 1

    @Option(help: "The lease in milliseconds, 500 to 600000.")
    var leaseMs = 2000

    @Option(help: "What a 202 rests on: fsync or ledger.")
    var durability = ChaosOptions.Durability.ledger

    @Option(help: "Where bytes are kept: redis or filesystem. With ledger and filesystem, Redis is flushed as well.")
    var bundles = ChaosOptions.Bundles.filesystem

    @Option(help: "A folder, which is there, for what the programs print.")
    var logs: String?

    @Flag(help: "Print one JSON object instead of tables.")
    var json = false

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600") }
        guard (1...500).contains(devices) else { throw ValidationError("--devices is 1 to 500") }
        guard (1...1024).contains(partitions), partitions.nonzeroBitCount == 1 else {
            throw ValidationError("--partitions is a power of two, 1 to 1024")
        }
        guard (500...600_000).contains(leaseMs) else { throw ValidationError("--lease-ms is 500 to 600000") }
    }

    func run() async throws {
        var options = ChaosOptions(seed: seed ?? .random(in: 0..<1_000_000), duration: .seconds(seconds))
        options.devices = devices
        options.partitions = partitions
        options.lease = .milliseconds(leaseMs)
        options.durability = durability
        options.bundles = bundles
        options.logs = logs
        let report = try await ChaosRun(options) { Self.tell($0) }.run()
        for history in report.histories { Self.tell(history) }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            print(report.text)
        }
        for omission in report.omissions { Self.tell("✗ \(omission)") }
        guard report.isClean, report.omissions.isEmpty else { throw ExitCode(1) }
    }

    private static func tell(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}

extension ChaosOptions.Durability: ExpressibleByArgument {}
extension ChaosOptions.Bundles: ExpressibleByArgument {}
