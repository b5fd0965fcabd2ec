import PostgresClient
import Testing

@Suite("Where a database is")
struct DatabaseAddressTests {
    @Test(arguments: [
        ("postgresql://app:secret@db.internal:5433/capture", "database capture at db.internal:5433"),
        ("postgres://app:s%40c?r:t@db/capture?sslmode=verify-full", "database capture at db"),
        ("postgresql:///capture", "database capture at the local socket"),
        ("postgresql:///capture?host=/run/postgresql&password=secret", "database capture at /run/postgresql"),
        ("postgresql://app:secret@one,two:5433/capture", "database capture at one, two:5433"),
        ("postgresql://app:secret@[fe80::1]:5433/my%20own", "database my own at [fe80::1]:5433"),
        ("postgresql://app:secret@db/my%+5own", "database my%+5own at db"),
        ("postgresql://app:secret@db.internal", "database app at db.internal"),
        ("host=db.internal port=5433 dbname=capture password=secret", "database capture at db.internal:5433"),
        ("host=one,two port=5432 dbname=capture", "database capture at one:5432, two:5432"),
        (#"dbname = 'my own' user=app password='se\'cret host=x'"#, "database my own at the local socket"),
        (#"password='se\'cret host=x' host='/run/my sql' dbname=b"#, "database b at /run/my sql"),
        ("hostaddr=10.0.0.1 dbname=capture", "database capture at 10.0.0.1"),
        ("service=capture password=secret", "the database at the service capture"),
        ("", "the database at the local socket"),
    ])
    func `the address of a database is told without what is secret`(conninfo: String, told: String) {
        #expect("\(DatabaseAddress(conninfo: conninfo))" == told)
    }

    @Test(arguments: [
        ("postgresql://app:secret@db/capture", ["db"], "prefer"),
        ("postgresql://app:secret@one,two/capture?sslmode=verify-full", ["one", "two"], "verify-full"),
        ("host=db hostaddr=10.0.0.1 sslmode='verify-ca'", ["10.0.0.1"], "verify-ca"),
        ("host=db sslrootcert=system", ["db"], "verify-full"),
        ("host=db sslrootcert=system sslmode=require", ["db"], "require"),
        ("host=/run/postgresql,@socket sslmode=secret", [], "prefer"),
        ("postgresql:///capture", [], "prefer"),
        ("service=capture", [], "prefer"),
    ])
    func `the address of a database tells what is reached over a network, and what is asked of TLS there`(
        conninfo: String, hosts: [String], mode: String
    ) {
        let address = DatabaseAddress(conninfo: conninfo)
        #expect(address.networkHosts == hosts && address.sslMode == mode)
    }

    /// None of these leads anywhere; somebody may be shown it all the same.
    @Test(arguments: [
        "postgresql://app:sec/ret@db/capture", "postgresql://app:sec@ret@db/capture", "postgresql://app:secret",
        "postgresql://app:p@se=cret@db/capture",
        "dbname='host=db password=secret'", "dbname=postgresql://app:secret@db", "password=secret", "secret",
        "postgresql://app:secr/et?x@db/capture",
    ])
    func `the address of a database tells no part of a password that is in the wrong place`(conninfo: String) {
        let told = "\(DatabaseAddress(conninfo: conninfo))"
        for part in ["sec", "ret"] { #expect(!told.contains(part), "\(told)") }
    }

    @Test func `the address of a database is what the environment says where the connection string says nothing`() {
        let environment = ["PGHOST": "db.internal", "PGPORT": "5433", "PGDATABASE": "capture", "PGPASSWORD": "secret"]
        let whole = DatabaseAddress(conninfo: "", environment: environment)
        #expect(whole.database == "capture" && whole.hosts == ["db.internal:5433"])
        let own = DatabaseAddress(conninfo: "host=other dbname=mine", environment: environment)
        #expect("\(own)" == "database mine at other:5433")
        #expect(DatabaseAddress(conninfo: "dbname=mine", environment: ["PGSERVICE": "x"]).hosts == ["the service x"])
    }
}
