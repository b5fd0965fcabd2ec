import Dispatch
import HostNames
import NIOCore
import NIOPosix
import PostgresClient
import Synchronization
import Testing
import TestSupport
import Waiting

@Suite("PostgreSQL by name", .timeLimit(.minutes(3)))
struct PostgresNamesTests {
    /// Lookups that end when a test says so.
    private final class Gate: Sendable {
        private let release = DispatchSemaphore(value: 0)

        func pass() {
            release.wait()
            release.signal()
        }

        func open() { release.signal() }
    }

    private func names(_ addresses: [String], _ gate: Gate? = nil) -> HostNames {
        HostNames(lookUp: { _ throws(NameFault) in
            gate?.pass()
            return addresses
        })
    }

    /// Where there are several addresses, libpq asks whether a server writes, which the stand-in does not know.
    private func named(_ server: FakePostgres) -> String {
        server.conninfo.replacing("host=127.0.0.1", with: "host=db.example") + " target_session_attrs=any"
    }

    @Test func `an address that says nothing is not the only one that is tried`() async throws {
        try await FakePostgres.with({ _ in .done("SELECT 1") }) { server in
            let port = try #require(server.port)
            // The same port of another address: it takes connections and says nothing.
            let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.2", port: port).get()
            let names = names(["127.0.0.2", "127.0.0.1"])
            try await withClient(
                named(server), connections: 1, names: names, { $0.connectTimeout = .seconds(20) }
            ) { client async throws in
                try await client.ping()
            }
            try await silent.close()
        }
    }

    @Test func `a lookup that takes longer than connecting may is no reason to wait, and serves the next attempt`()
        async throws
    {
        let gate = Gate()
        try await FakePostgres.with({ _ in .done("SELECT 1") }) { server in
            try await withClient(
                named(server), connections: 1, names: names(["127.0.0.1"], gate),
                {
                    $0.connectTimeout = .milliseconds(300)
                    $0.backoff.cap = .milliseconds(20)
                }
            ) { client async throws in
                let error = await #expect(throws: PostgresError(.connection, "")) { try await client.ping() }
                #expect(error?.message == "db.example: its address was not found in time")
                gate.open()
                try await eventually { (try? await client.ping()) != nil }
            }
        }
    }

    @Test func `while no name is found, calls end in time and the server does not count as busy`() async throws {
        let gate = Gate()
        let conninfo = "host=db.example user=capture dbname=capture"
        try await withClient(
            conninfo, connections: 8, names: names([], gate),
            {
                $0.connectTimeout = .milliseconds(300)
                $0.acquireTimeout = .milliseconds(400)
                $0.answerGrace = .milliseconds(100)
            }
        ) { client async throws in
            let start = ContinuousClock.now
            let faults = try await race(8) { _ in
                do throws(PostgresError) {
                    try await client.ping()
                    return PostgresError.Code.decoding
                } catch {
                    return error.code
                }
            }
            #expect(Set(faults) == [.connection])
            // The names are found at the end of this test only: a call that waited for them would never end.
            #expect(start.duration(to: .now) < .seconds(30))
            await #expect(throws: PostgresError(.connection, "")) { try await client.ping() }
        }
        gate.open()
    }

    @Test func `an address that the operator names needs no lookup`() async throws {
        try await FakePostgres.with({ _ in .done("SELECT 1") }) { server in
            let asked = Atomic(false)
            let names = HostNames(lookUp: { name throws(NameFault) in
                asked.store(true, ordering: .relaxed)
                throw NameFault(name, "asked for")
            })
            try await withClient(named(server) + " hostaddr=127.0.0.1", connections: 1, names: names) {
                client async throws in
                try await client.ping()
            }
            let wasAsked = asked.load(ordering: .relaxed)
            #expect(!wasAsked)
        }
    }
}
