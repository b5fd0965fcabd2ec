import Foundation
package import PrivateServers

extension PrivateRedis {
    private static let sharedServer = Once<PrivateRedis> { try await PrivateRedis.start(["--appendfsync", "no"]) }

    /// The server that is shared by tests which only need keys of their own.
    ///
    /// It does not wait for the disk: a write of one test would hold up all the others.
    package static func shared() async throws -> PrivateRedis { try await sharedServer.value() }

    /// Starts one more replica of this server, which must listen on a port, and waits until it is in sync.
    package func replica() async throws -> PrivateRedis {
        let replica = try await PrivateRedis.start([
            "--replicaof", cliAddress[1], cliAddress[3], "--repl-diskless-sync-delay", "0",
        ])
        try await eventually {
            guard try await replica.cli("INFO", "replication").contains("master_link_status:up") else { return false }
            let replicas = try await cli("INFO", "replication").split(whereSeparator: \.isNewline)
                .filter { $0.hasPrefix("slave") }
            return replicas.allSatisfy { $0.contains("state=online") }
        }
        // Until its first append-only file is written, the replica refuses a SIGTERM ("Writing initial AOF").
        try await eventually {
            let persistence = try await replica.cli("INFO", "persistence")
            return persistence.contains("aof_rewrite_in_progress:0") && persistence.contains("aof_rewrite_scheduled:0")
        }
        return replica
    }

    /// Runs redis-cli and returns its output, even when it is a refusal: for tests that wait for one, or for its end.
    package func cliReply(_ arguments: String...) async throws -> String {
        try await LeashedProcess.run("redis-cli", cliAddress + arguments).output
    }

    /// Sends it a signal, for example SIGSTOP and SIGCONT.
    package func signal(_ signal: Int32) { process.signal(signal) }

    /// Kills it (SIGKILL) and waits until it is gone.
    package func kill() async throws { try await process.kill() }

    /// Ends it cleanly (SIGTERM) and waits until it is gone.
    package func stop() async throws {
        let process = process
        process.signal(SIGTERM)
        _ = try await process.exitCode()
    }
}
