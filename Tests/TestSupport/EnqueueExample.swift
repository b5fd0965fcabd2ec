public import CaptureModel
public import Foundation
public import PrivateServers

/// One of the programs of `Config/deploy/examples`, which show other languages how to hand captures off.
///
/// ```swift
/// let files = try ExampleFiles(photo: photo, depth: depth, assertion: assertion, metadata: metadata)
/// defer { files.remove() }
/// let answer = try await EnqueueExample.shell.handOff(files, of: device, to: server)
/// #expect(answer.exitCode == 0 && answer.words.first == "accepted")
/// ```
public enum EnqueueExample: String, CaseIterable, Sendable {
    /// Speaks the protocol itself, with Python's standard library alone.
    case python = "enqueue.py"
    /// Has `redis-cli` do it.
    case shell = "enqueue.sh"

    /// What a run of it has come to.
    public struct Answer: Sendable {
        /// Its exit code.
        public let exitCode: Int32
        /// The lines that it has written.
        public let lines: [String]

        /// The words of all lines: the outcome first.
        public var words: [String] { lines.flatMap { $0.split(separator: " ").map(String.init) } }

        /// The capture that it names at the end; `nil` where it names none.
        public var capture: CaptureID? { words.last.flatMap { CaptureID($0) } }
    }

    /// Where the program is.
    public var path: String { Repository.directory.appending(path: "Config/deploy/examples/\(rawValue)").path }

    /// Runs it with a capture's files.
    /// - Parameters:
    ///   - files: The capture.
    ///   - device: Whose capture it is.
    ///   - server: The Redis that has the queue with the standard name.
    ///   - partition: The device's partition, which the shell program has to be told.
    ///   - partitions: How many the queue has; the Python program finds the device's by itself.
    ///   - binding: What was signed, which the shell program has to be told; the Python program reads the metadata.
    public func handOff(
        _ files: ExampleFiles, of device: DeviceID, to server: PrivateRedis, partition: Int = 0, of partitions: Int = 1,
        binding: Binding? = nil
    ) async throws -> Answer {
        var arguments: [String]
        var environment: [String: String] = [:]
        switch self {
        case .python:
            arguments = ["--redis", server.url, "--device", "\(device)", "--partitions", "\(partitions)"]
            arguments += files.pythonArguments
        case .shell:
            arguments = ["\(device)"] + files.shellArguments
            environment["REDIS_CLI"] = (["redis-cli"] + server.cliAddress).joined(separator: " ")
            environment["CAPTURE_PARTITION"] = "\(partition)"
            environment["CAPTURE_BINDING"] = binding?.rawValue
        }
        let run = try await LeashedProcess.run(path, arguments, environment: environment)
        return Answer(exitCode: run.exitCode, lines: run.output.split(separator: "\n").map(String.init))
    }
}

/// The four files of a capture, the way another gateway has it.
public struct ExampleFiles: Sendable {
    /// In the order in which the shell program takes them.
    private static let names = ["photo", "depth", "assertion", "metadata"]

    /// Where they are, each under the name of its part.
    public let directory: URL

    /// Writes them into a directory of their own.
    public init(photo: [UInt8], depth: [UInt8], assertion: [UInt8], metadata: [UInt8]) throws {
        directory = try TemporaryDirectory.make("examples")
        for (name, bytes) in zip(Self.names, [photo, depth, assertion, metadata]) {
            try Data(bytes).write(to: directory.appending(path: name))
        }
    }

    /// Removes them and their directory.
    public func remove() {
        try? FileManager.default.removeItem(at: directory)
    }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    /// How the Python program takes them.
    public var pythonArguments: [String] { Self.names.flatMap { ["--\($0)", path($0)] } }

    /// How the shell program takes them.
    public var shellArguments: [String] { Self.names.map(path) }
}
