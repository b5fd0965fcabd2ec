import Foundation
import PostgresClient
import PrivateServers
import Testing

/// Each test has a process of its own: libpq reads the environment of its whole process, and a developer's may say where
/// another database is.
@Suite("Where a database is")
struct DatabaseAddressTests {
    private static let told = [
        ("postgresql://app:secret@db.internal:5433/capture", "database capture at db.internal:5433"),
        ("postgres://app:s%40c?r:t@db/capture?sslmode=verify-full", "database capture at db:5432"),
        ("postgresql:///capture", "database capture at the local socket:5432"),
        ("postgresql:///capture?host=/run/postgresql&password=secret", "database capture at /run/postgresql:5432"),
        ("postgresql://app:secret@one,two:5433/capture", "database capture at one, two:5433"),
        ("postgresql://app:secret@[fe80::1]:5433/my%20own", "database my own at [fe80::1]:5433"),
        ("postgresql://app:secret@db.internal", "database app at db.internal:5432"),
        ("host=db.internal port=5433 dbname=capture password=secret", "database capture at db.internal:5433"),
        ("host=one,two port=5432 dbname=capture", "database capture at one:5432, two:5432"),
        (#"dbname = 'my own' user=app password='se\'cret host=x'"#, "database my own at the local socket:5432"),
        (#"password='se\'cret host=x' host='/run/my sql' dbname=b"#, "database b at /run/my sql:5432"),
        ("hostaddr=10.0.0.1 dbname=capture", "database capture at 10.0.0.1:5432"),
        ("host=db hostaddr=10.0.0.1 port=1 dbname=capture", "database capture at db:1"),
        ("host=one,two port=1,2,3 dbname=capture", "database capture at one,two:1,2,3"),
        ("service=none host=db password=secret", "the database at the service none, which cannot be read"),
        ("postgresql://app:secret@db/my%+5own", "the database at an address that is malformed"),
    ]

    private static let reached: [(conninfo: String, hosts: [String], mode: String)] = [
        ("postgresql://app:secret@db/capture", ["db"], "prefer"),
        ("postgresql://app:secret@one,two/capture?sslmode=verify-full", ["one", "two"], "verify-full"),
        ("host=db hostaddr=10.0.0.1 sslmode='verify-ca'", ["10.0.0.1"], "verify-ca"),
        ("host=/run/postgresql,@socket sslmode=secret", [], "prefer"),
        ("postgresql:///capture", [], "prefer"),
        ("service=none", [], "prefer"),
    ]

    /// None of these leads anywhere; somebody may be shown it all the same.
    private static let misplaced = [
        "postgresql://app:sec/ret@db/capture", "postgresql://app:sec@ret@db/capture", "postgresql://app:secret",
        "postgresql://app:p@se=cret@db/capture",
        "dbname='host=db password=secret'", "dbname=postgresql://app:secret@db", "password=secret", "secret",
        "postgresql://app:secr/et?x@db/capture",
    ]

    @Test func `the address of a database is told without what is secret`() async {
        await #expect(processExitsWith: .success) {
            DatabaseAddressTests.setEnvironment([:])
            for (conninfo, told) in DatabaseAddressTests.told {
                #expect("\(DatabaseAddress(conninfo: conninfo))" == told, "\(conninfo)")
            }
        }
    }

    @Test func `the address of a database tells what is reached over a network, and what is asked of TLS there`()
        async
    {
        await #expect(processExitsWith: .success) {
            DatabaseAddressTests.setEnvironment([:])
            for (conninfo, hosts, mode) in DatabaseAddressTests.reached {
                let address = DatabaseAddress(conninfo: conninfo)
                #expect(address.networkHosts == hosts && address.sslMode == mode, "\(conninfo)")
            }
        }
    }

    @Test func `the address of a database tells no part of a password that is in the wrong place`() async {
        await #expect(processExitsWith: .success) {
            DatabaseAddressTests.setEnvironment([:])
            for conninfo in DatabaseAddressTests.misplaced {
                let told = "\(DatabaseAddress(conninfo: conninfo))"
                for part in ["sec", "ret"] { #expect(!told.contains(part), "\(told)") }
            }
        }
    }

    @Test func `the address of a database is what the environment says where the connection string says nothing`()
        async
    {
        await #expect(processExitsWith: .success) {
            DatabaseAddressTests.setEnvironment([
                "PGHOST": "db.internal", "PGPORT": "5433", "PGDATABASE": "capture", "PGPASSWORD": "secret",
            ])
            #expect("\(DatabaseAddress(conninfo: ""))" == "database capture at db.internal:5433")
            #expect("\(DatabaseAddress(conninfo: "host=other dbname=mine"))" == "database mine at other:5433")
            setenv("PGSERVICE", "none", 1)
            let lost = "the database at the service none, which cannot be read"
            #expect("\(DatabaseAddress(conninfo: "dbname=mine"))" == lost)
        }
    }

    @Test func `the address of a database is that of its service file, whatever the environment says besides`()
        async
    {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory.make("service")
            let file = folder.appendingPathComponent("services")
            let service = "[production]\nhost=db.internal\nport=5433\ndbname=capture\nsslmode=verify-ca\n"
            try Data(service.utf8).write(to: file)
            DatabaseAddressTests.setEnvironment([
                "PGSERVICEFILE": file.path, "PGHOST": "localhost", "PGDATABASE": "scratch",
                "PGSSLMODE": "verify-full",
            ])
            let address = DatabaseAddress(conninfo: "service=production")
            #expect("\(address)" == "database capture at db.internal:5433")
            #expect(address.networkHosts == ["db.internal"] && address.sslMode == "verify-ca")
            try FileManager.default.removeItem(at: folder)
        }
    }

    /// Makes these the only variables that libpq reads in this process.
    private static func setEnvironment(_ variables: [String: String]) {
        for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("PG") { unsetenv(name) }
        for (name, value) in variables { setenv(name, value, 1) }
    }
}
