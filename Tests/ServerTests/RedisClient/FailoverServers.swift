import ChaosKit
import Foundation
import TestSupport

/// A primary, its replica, and an address that leads to one of them.
///
/// A primary that becomes a replica keeps its connections and refuses whatever they write: the way to the new one is a
/// new connection, by a name or an address that leads there.
struct FailoverServers {
    let old: PrivateRedis
    let new: PrivateRedis
    private let link: Link

    /// Lends the two, with the address at the old one.
    static func with(_ body: (FailoverServers) async throws -> Void) async throws {
        let folder = try TemporaryDirectory.make("primary")
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appendingPathComponent("redis.sock").path
        let old = try await PrivateRedis.start(["--unixsocket", socket], tcp: true)
        let link = try await Link.open(to: socket)
        do {
            try await body(FailoverServers(old: old, new: try await old.replica(), link: link))
        } catch {
            await link.close()
            throw error
        }
        await link.close()
    }

    /// The address as a client's URL.
    var url: String { "redis://127.0.0.1:\(link.port)" }

    /// Has them change roles, with the address at the new one; connections that there are stay with the old one.
    func failOver() async throws {
        try await new.cli("REPLICAOF", "NO", "ONE")
        redirect()
        try await demote()
    }

    /// Makes the old one a replica, of nobody, so that it gets nothing from the new one.
    func demote() async throws {
        try await old.cli("REPLICAOF", "127.0.0.1", "\(try FreePort.take())")
    }

    /// Has new connections lead to the new one.
    func redirect() { link.redirect(to: new.directory.appendingPathComponent("redis.sock").path) }
}
