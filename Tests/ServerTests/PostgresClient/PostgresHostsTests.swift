import FoundationEssentials
import HostNames
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import PostgresClient

@Suite("Several PostgreSQL hosts", .timeLimit(.minutes(3)))
struct PostgresHostsTests {
    @Test func `a host that says nothing is not the only one that is tried`() async throws {
        let server = try await PrivatePostgres.shared()
        let database = try #require(try await server.createDatabase().split(separator: "=").last)
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let silentPort = try #require(silent.localAddress?.port)
        let hosts = "host=127.0.0.1,\(server.directory.path) port=\(silentPort),\(server.port)"
        let conninfo = "\(hosts) user=capture dbname=\(database)"
        // One attempt has time for both of them, on a busy machine as well.
        try await withClient(conninfo, connections: 1, { $0.connectTimeout = .seconds(20) }) { client async throws in
            try await client.ping()
        }
        try await silent.close()
    }

    @Test func `a first host that only reads is passed over, unless the operator takes any`() async throws {
        let (standby, primary) = (try await PrivatePostgres.start(), try await PrivatePostgres.start())
        // As a standby does: it takes sessions, and refuses their writes.
        try await standby.psql("ALTER DATABASE postgres SET default_transaction_read_only = on")
        let both = "host=\(standby.directory.path),\(primary.directory.path) user=capture dbname=postgres"
        try await withClient(both, connections: 2) { client async throws in
            _ = try await client.execute(Self.write)
            // One inside of the other: two sessions.
            try await client.withConnection { _ throws(PostgresError) in try await client.ping() }
        }
        #expect(try await primary.psql("SELECT to_regclass('written')") == "written")
        try await withClient("\(both) target_session_attrs=any", connections: 1) { client async throws in
            await #expect(throws: PostgresError(.server("25006"), "")) { try await client.ping() }
        }
        try await standby.stop()
        try await primary.stop()
    }

    /// There are two hosts with two addresses each; one of them accepts sessions at one of its addresses.
    @Test(arguments: 0..<8, ["a.example", "b.example"])
    func `the next session begins with the server that has accepted this one`(turn: Int, host: String) async throws {
        try await FakePostgres.with({ _ in .done("SELECT 1") }) { server in
            let names = HostNames(lookUp: { name throws(NameFault) in
                name == host ? ["127.0.0.2", "127.0.0.1"] : ["127.0.0.3", "127.0.0.4"]
            })
            let conninfo = server.conninfo.replacing("host=127.0.0.1", with: "host=a.example,b.example")
            let opener = SessionOpener(
                configuration: PostgresConfiguration(conninfo: conninfo + " target_session_attrs=any"), names: names)
            let next = try opener.open(by: .now + .seconds(30), turn: turn).turn
            #expect(try opener.open(by: .now + .seconds(30), turn: next).turn == next)
        }
    }

    private static let write = PostgresStatement("test_write", "CREATE TABLE written ()")
}
