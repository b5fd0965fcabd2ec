import Testing

@testable import PostgresClient

@Suite("What a PostgreSQL session is opened with")
struct LibPQParametersTests {
    private func value(_ keyword: String, _ configuration: PostgresConfiguration) throws -> String {
        let values = try LibPQParameters(configuration).values
        return values.first { $0.keyword == keyword }?.value ?? ""
    }

    @Test(arguments: [(10, 15_000), (24, 29_000), (26, 30_000), (86_400, 30_000)])
    func `however long a statement may take, silence is taken for the end within half a minute`(
        statement: Int, silence: Int
    ) throws {
        var configuration = PostgresConfiguration(conninfo: "host=db.example")
        configuration.statementTimeout = .seconds(statement)
        #expect(try value("tcp_user_timeout", configuration) == "\(silence)")
        let limits = try LibPQParameters(configuration).limits
        #expect(limits.contains("('statement_timeout', '\(statement * 1000)', false)"))
        #expect(limits.contains("('enable_seqscan', 'off', false)") && limits.contains("('jit', 'off', false)"))
        #expect(limits.contains("('idle_in_transaction_session_timeout', '\(silence)', false)"))
        #expect(try value("options", configuration) == "", "PgBouncer takes none")
    }

    @Test func `what an operator says about a silent peer stands`() throws {
        let configuration = PostgresConfiguration(conninfo: "host=db.example tcp_user_timeout=90000")
        #expect(try value("tcp_user_timeout", configuration) == "90000")
    }

    @Test(arguments: [
        "host=/run/postgresql@15 dbname=a@b", "host=@capture user=a@b", "postgresql://u:p%40ss@db.example/a%40b",
        "postgresql:///capture?host=/run/postgresql@15", "postgresql://u@a.example:1,b.example:2/db?user=a@b",
        "host=a.example,b.example port=5432,", "postgresql://[::1]:5432/db", "",
    ])
    func `an at sign stands wherever libpq takes one`(_ conninfo: String) {
        #expect(throws: Never.self) { try LibPQParameters(PostgresConfiguration(conninfo: conninfo)) }
    }

    @Test(arguments: [
        "postgresql://u:pa@ssWORD@127.0.0.1/db", "postgres://u:pa@ss,WORD@a.example,b.example/db",
        "host=a.example,u@b.example", "postgresql://u:pa@ss:WORD@127.0.0.1/db", "postgresql://u:pa/ssWORD@127.0.0.1/db",
        "postgresql://u:12/ssWORD@127.0.0.1/db", "postgresql://u:pa@ss/WORD@127.0.0.1/db",
    ])
    func `what is the rest of a password is taken for nothing else`(_ conninfo: String) {
        #expect(throws: PostgresError(.configuration, "")) {
            _ = try LibPQParameters(PostgresConfiguration(conninfo: conninfo))
        }
    }
}
