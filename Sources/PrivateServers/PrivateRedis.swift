package import Foundation
import Synchronization

/// A real redis-server of this process's own: its own directory, its own socket, gone with the process.
package final class PrivateRedis: Sendable {
    /// The server's URL, as ``RedisClient`` takes it.
    package let url: String
    /// Its working directory, with the append-only file.
    package var directory: URL { home.url }

    private let home: LeashedDirectory
    private let arguments: [String]
    private let environment: [String: String]
    private let address: [String]
    private let current: Mutex<LeashedProcess>

    /// Starts a server with the durability settings of `Config/redis.conf`, and a bound on its memory.
    /// - Parameters:
    ///   - arguments: More arguments, for example `["--maxmemory", "50mb"]`.
    ///   - tcp: Listen on a free port of 127.0.0.1 instead of a unix socket.
    ///   - environment: Added to this process's environment.
    package static func start(
        _ arguments: [String] = [], tcp: Bool = false, environment: [String: String] = [:]
    ) async throws -> PrivateRedis {
        let home = try LeashedDirectory("redis")
        let directory = home.url
        let address: [String]
        let url: String
        if tcp {
            let port = try FreePort.take()
            address = ["-h", "127.0.0.1", "-p", "\(port)"]
            url = "redis://127.0.0.1:\(port)"
        } else {
            let socket = directory.appendingPathComponent("redis.sock").path
            address = ["-s", socket]
            url = "unix://\(socket)"
        }
        let listen = tcp ? ["--port", address[3], "--bind", "127.0.0.1"] : ["--port", "0", "--unixsocket", address[1]]
        // The last of two counts: whatever the arguments say, the server says here that it is ready.
        let settings =
            listen + [
                "--dir", directory.path, "--appendonly", "yes", "--appendfsync", "always", "--save", "",
                "--maxmemory-policy", "noeviction", "--maxmemory", "8gb",
            ] + arguments + ["--daemonize", "no", "--logfile", ""]
        let process = try await launch(settings, environment)
        return PrivateRedis(
            url: url, home: home, arguments: settings, environment: environment, address: address, process: process)
    }

    private init(
        url: String, home: LeashedDirectory, arguments: [String], environment: [String: String], address: [String],
        process: LeashedProcess
    ) {
        self.environment = environment
        self.url = url
        self.home = home
        self.arguments = arguments
        self.address = address
        current = Mutex(process)
    }

    private static func launch(
        _ arguments: [String], _ environment: [String: String]
    ) async throws -> LeashedProcess {
        let process = try LeashedProcess("redis-server", arguments, environment: environment)
        try await process.line(containing: "eady to accept connections", within: LeashedProcess.serverStartLimit)
        return process
    }

    /// Runs redis-cli against it and returns the output.
    /// - Throws: The output, when the server refused the command or could not be reached.
    @discardableResult
    package func cli(_ arguments: String...) async throws -> String {
        let run = try await LeashedProcess.run("redis-cli", address + ["-e"] + arguments)
        guard run.exitCode == 0 else {
            let command = arguments.prefix(2).joined(separator: " ")
            throw LeashedProcess.Failure(description: "redis-cli \(command): \(run.output)")
        }
        return run.output
    }

    /// The options with which redis-cli reaches it: `-s <socket>` or `-h <host> -p <port>`.
    package var cliAddress: [String] { address }

    /// Its process; each ``restart()`` makes a new one.
    package var process: LeashedProcess { current.withLock { $0 } }

    /// Its figures so far; `nil` while it does not run.
    package var figures: ProcessFigures? { process.figures() }

    /// Starts it again in its directory, once it has ended.
    package func restart() async throws {
        let new = try await Self.launch(arguments, environment)
        current.withLock { $0 = new }
    }
}
