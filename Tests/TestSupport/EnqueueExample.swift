package import CaptureModel
package import Foundation
package import PrivateServers

/// One of the programs of `Config/deploy/examples`, which show other languages how to hand captures off.
///
/// ```swift
/// let files = try ExampleFiles(photo: photo, depth: depth, assertion: assertion, metadata: metadata)
/// defer { files.remove() }
/// let answer = try await EnqueueExample.shell.handOff(files, of: device, to: server)
/// #expect(answer.exitCode == 0 && answer.words.first == "accepted")
/// ```
package enum EnqueueExample: String, CaseIterable, Sendable {
    /// Speaks the protocol itself, with Python's standard library alone.
    case python = "enqueue.py"
    /// Has `redis-cli` do it.
    case shell = "enqueue.sh"

    /// What a run of it has come to.
    package struct Answer: Sendable {
        /// Its exit code.
        package let exitCode: Int32
        /// The capture that it has told before its call, for a retry.
        package let told: CaptureID?
        /// The other lines that it has written, those for errors among them.
        package let lines: [String]

        fileprivate init(exitCode: Int32, output: String) {
            let all = output.split(separator: "\n").map(String.init)
            self.exitCode = exitCode
            told = all.first { $0.hasPrefix("capture ") }.flatMap { CaptureID(String($0.dropFirst(8))) }
            lines = all.filter { !$0.hasPrefix("capture ") }
        }

        /// The lines as one text.
        package var output: String { lines.joined(separator: "\n") }

        /// The words of all lines: the outcome first.
        package var words: [String] { lines.flatMap { $0.split(separator: " ").map(String.init) } }

        /// The capture that it names at the end; `nil` where it names none.
        package var capture: CaptureID? { words.last.flatMap { CaptureID($0) } }
    }

    /// Where the program is.
    package var path: String { Repository.directory.appending(path: "Config/deploy/examples/\(rawValue)").path }

    /// Runs it with a capture's files.
    /// - Parameters:
    ///   - files: The capture.
    ///   - device: Whose capture it is.
    ///   - capture: The capture's id; one that the program draws when not given.
    ///   - server: The Redis that has the queue with the standard name.
    ///   - partition: The device's partition, which the shell program has to be told.
    ///   - partitions: How many the queue has; the Python program finds the device's by itself.
    ///   - binding: What was signed, which the shell program has to be told; the Python program reads the metadata.
    package func handOff(
        _ files: ExampleFiles, of device: DeviceID, as capture: CaptureID? = nil, to server: PrivateRedis,
        partition: Int = 0, of partitions: Int = 1, binding: Binding? = nil
    ) async throws -> Answer {
        switch self {
        case .python:
            var arguments = ["--redis", server.url, "--device", "\(device)", "--partitions", "\(partitions)"]
            if let capture { arguments += ["--capture", "\(capture)"] }
            return try await run(arguments + files.pythonArguments)
        case .shell:
            var arguments = ["\(device)"] + files.shellArguments
            if let capture { arguments.append("\(capture)") }
            var environment = ["REDIS_CLI": (["redis-cli"] + server.cliAddress).joined(separator: " ")]
            environment["CAPTURE_PARTITION"] = "\(partition)"
            environment["CAPTURE_BINDING"] = binding?.rawValue
            return try await run(arguments, environment: environment)
        }
    }

    /// Runs it with arguments of the caller's own, and longer than any test if its environment names no limit.
    package func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Answer {
        let run = try await LeashedProcess.run(
            path, arguments, environment: ["CAPTURE_TIMEOUT": "600"].merging(environment) { _, own in own })
        return Answer(exitCode: run.exitCode, output: run.output)
    }
}

/// The four files of a capture, the way another gateway has it.
package struct ExampleFiles: Sendable {
    /// In the order in which the shell program takes them.
    private static let names = ["photo", "depth", "assertion", "metadata"]

    /// Where they are, each under the name of its part.
    package let directory: URL

    /// Writes them into a directory of their own.
    package init(photo: [UInt8], depth: [UInt8], assertion: [UInt8], metadata: [UInt8]) throws {
        directory = try TemporaryDirectory.make("examples")
        for (name, bytes) in zip(Self.names, [photo, depth, assertion, metadata]) {
            try Data(bytes).write(to: directory.appending(path: name))
        }
    }

    /// Removes them and their directory.
    package func remove() {
        try? FileManager.default.removeItem(at: directory)
    }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    /// How the Python program takes them.
    package var pythonArguments: [String] { Self.names.flatMap { ["--\($0)", path($0)] } }

    /// How the shell program takes them.
    package var shellArguments: [String] { Self.names.map(path) }
}
