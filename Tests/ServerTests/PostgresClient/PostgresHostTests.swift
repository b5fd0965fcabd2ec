import Testing

@testable import PostgresClient

@Suite("The servers that libpq is told of")
struct PostgresHostTests {
    private func parameters(_ conninfo: String) throws -> LibPQParameters {
        try LibPQParameters(PostgresConfiguration(conninfo: conninfo))
    }

    @Test func `the servers of libpq are those of its lists, each with its port`() {
        let told = ["host": "a.example,/run/postgresql", "port": "5433"]
        #expect(
            PostgresHost.all(in: told) == [
                PostgresHost(name: "a.example", address: "", port: "5433"),
                PostgresHost(name: "/run/postgresql", address: "", port: "5433"),
            ])
        let addressed = ["host": "a.example,b.example", "hostaddr": "192.0.2.7,", "port": "1,2"]
        #expect(
            PostgresHost.all(in: addressed) == [
                PostgresHost(name: "a.example", address: "192.0.2.7", port: "1"),
                PostgresHost(name: "b.example", address: "", port: "2"),
            ])
        #expect(PostgresHost.all(in: addressed)?.map(\.isToLookUp) == [false, true])
        #expect(PostgresHost.all(in: ["hostaddr": "::1"]) == [PostgresHost(name: "", address: "::1", port: "")])
    }

    @Test(
        arguments: [
            [:], ["host": ""], ["port": "5432"], ["host": "a,b", "port": "1,2,3"], ["host": "a,b", "hostaddr": "::1"],
        ] as [[String: String]])
    func `the servers of libpq are libpq's own affair where none is told, or the lists do not fit`(
        told: [String: String]
    ) {
        #expect(PostgresHost.all(in: told) == nil)
    }

    @Test func `the servers of libpq are not looked up where they are sockets`() {
        let hosts = PostgresHost.all(in: ["host": "/run/postgresql,@capture,db.example"])
        #expect(hosts?.map(\.isToLookUp) == [false, false, true])
    }

    @Test func `the servers of libpq are told by libpq as it would take them, without a look-up`() throws {
        let told = try parameters("postgresql://u:secret@a.invalid:1,b.invalid:2/db?sslmode=require").completed()
        #expect(told["host"] == "a.invalid,b.invalid" && told["port"] == "1,2" && told["sslmode"] == "require")
        // Where nothing else is told, libpq's default.
        #expect(try parameters("host=a.invalid").completed()["port"] == "5432")
    }

    @Test func `the servers of libpq are written to where there are several, unless the operator says otherwise`()
        throws
    {
        let host = PostgresHost(name: "db.example", address: "192.0.2.7", port: "5432")
        let plain = try parameters("host=db.example")
        let several = plain.at(host, told: [:], isOneOfSeveral: true)
        #expect(several.value(of: "target_session_attrs") == "read-write")
        #expect(several.value(of: "hostaddr") == "192.0.2.7" && several.value(of: "host") == "db.example")
        let single = plain.at(host, told: [:], isOneOfSeveral: false)
        #expect(single.value(of: "target_session_attrs") == nil)
        // By a service file, or the environment.
        let told = plain.at(host, told: ["target_session_attrs": "primary"], isOneOfSeveral: true)
        #expect(told.value(of: "target_session_attrs") == nil)
        let own = try parameters("host=db.example target_session_attrs=any")
        #expect(own.at(host, told: [:], isOneOfSeveral: true).value(of: "target_session_attrs") == "any")
    }
}
