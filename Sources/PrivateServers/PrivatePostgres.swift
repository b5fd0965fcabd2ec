package import Foundation
import Synchronization

/// A real PostgreSQL server of this process's own: its own data directory and socket, gone with the process.
///
/// PostgreSQL refuses to run as root; then it runs as the user `postgres`, which the Debian package creates.
package final class PrivatePostgres: Sendable {
    /// The folder with its unix socket.
    package var directory: URL { home.url }
    /// Its port number, which also names the socket.
    package let port = 5432

    private let home: LeashedDirectory
    private let current: Mutex<LeashedProcess>
    private let settings: [String]

    /// Starts a server.
    /// - Parameter settings: More settings, for example `["max_connections=20"]`.
    package static func start(_ settings: [String] = []) async throws -> PrivatePostgres {
        let home = try LeashedDirectory("postgres")
        let directory = home.url
        let data = directory.appendingPathComponent("data").path
        // Everybody who reaches its socket is a superuser.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
        if isRoot {
            let owner = try await LeashedProcess.run("chown", ["postgres", directory.path])
            guard owner.exitCode == 0 else { throw LeashedProcess.Failure(description: owner.output) }
        }
        try await run(
            binary("initdb"),
            ["-D", data, "-U", "capture", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
            in: directory)
        let all = ["max_connections=400", "log_min_messages=warning"] + settings
        let process = try await launch(directory: directory, settings: all)
        return PrivatePostgres(home: home, process: process, settings: all)
    }

    private init(home: LeashedDirectory, process: LeashedProcess, settings: [String]) {
        self.home = home
        current = Mutex(process)
        self.settings = settings
    }

    /// libpq's conninfo for one of its databases.
    package func conninfo(database: String) -> String {
        "host=\(directory.path) port=\(port) user=capture dbname=\(database)"
    }

    /// Makes a fresh empty database and returns its conninfo.
    package func createDatabase() async throws -> String { try await createNamedDatabase().conninfo }

    /// Makes a fresh empty database and returns its name and its conninfo.
    package func createNamedDatabase() async throws -> (name: String, conninfo: String) {
        let name = "t" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await psql("CREATE DATABASE \(name)")
        return (name, conninfo(database: name))
    }

    /// Runs one statement through psql as superuser and returns the unaligned output.
    /// - Throws: ``LeashedProcess/Failure`` with the output when psql fails.
    @discardableResult
    package func psql(_ statement: String, database: String = "postgres") async throws -> String {
        let process = try session(statement, database: database)
        guard try await process.exitCode() == 0 else {
            throw LeashedProcess.Failure(description: "psql: \(process.output)")
        }
        return process.output
    }

    /// Starts a session of its own as superuser that runs statements, and does not wait for it.
    package func session(_ statements: String, database: String = "postgres") throws -> LeashedProcess {
        try LeashedProcess(
            Self.binary("psql"),
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", conninfo(database: database), "-c", statements]
        )
    }

    /// Its first process, the postmaster; each ``restart()`` makes a new one.
    package var process: LeashedProcess { current.withLock { $0 } }

    /// The figures of all its processes so far; `nil` while it does not run.
    package var figures: ProcessFigures? { process.figures(withChildren: true) }

    /// Starts it again in its directory, once it has ended.
    package func restart() async throws {
        try? FileManager.default.removeItem(at: directory.appendingPathComponent("data/postmaster.pid"))
        let new = try await Self.launch(directory: directory, settings: settings)
        current.withLock { $0 = new }
    }

    /// Sets the id of the next transaction, while it does not run.
    package func setNextTransaction(_ id: Int) async throws {
        let data = directory.appendingPathComponent("data").path
        // The states of transactions are in files of 256 KiB for 2^20 ids each; `pg_resetwal` makes none.
        let states = "\(data)/pg_xact/" + String(format: "%04lX", id >> 20)
        try await Self.run("truncate", ["--size=256K", states], in: directory)
        try await Self.run(Self.binary("pg_resetwal"), ["-x", "\(id)", "-D", data], in: directory)
    }

    /// Runs a program as the server's user.
    private static func run(_ program: String, _ arguments: [String], in directory: URL) async throws {
        let (command, prefix) = unprivileged
        let run = try await LeashedProcess.run(
            command ?? program, (command == nil ? [] : prefix + [program]) + arguments, directory: directory)
        guard run.exitCode == 0 else { throw LeashedProcess.Failure(description: "\(program): \(run.output)") }
    }

    private static func launch(directory: URL, settings: [String]) async throws -> LeashedProcess {
        let (command, prefix) = unprivileged
        let own = ["listen_addresses=", "unix_socket_permissions=0700"]
        // The last of two counts: whatever the settings say, the server says here that it is ready.
        let output = ["logging_collector=off", "log_destination=stderr", "lc_messages=C"]
        let arguments =
            ["-D", directory.appendingPathComponent("data").path, "-k", directory.path, "-p", "5432"]
            + (own + settings + output).flatMap { ["-c", $0] }
        let process = try LeashedProcess(
            command ?? binary("postgres"), (command == nil ? [] : prefix + [binary("postgres")]) + arguments,
            directory: directory
        )
        try await process.line(containing: "ready to accept connections", within: LeashedProcess.serverStartLimit)
        return process
    }

    private static var isRoot: Bool { geteuid() == 0 }

    private static var unprivileged: (String?, [String]) {
        isRoot ? ("setpriv", ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]) : (nil, [])
    }

    /// Debian keeps the server's programs in a folder per version, off the path; the newest with a server is used.
    private static func binary(_ name: String) -> String {
        newestPrograms(in: "/usr/lib/postgresql").map { "\($0)/\(name)" } ?? name
    }

    /// The programs of the newest version that has a server: some have only those of a client.
    static func newestPrograms(in base: String) -> String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        let newest = versions.compactMap(Int.init).filter { version in
            FileManager.default.fileExists(atPath: "\(base)/\(version)/bin/postgres")
        }.max()
        return newest.map { "\(base)/\($0)/bin" }
    }
}
