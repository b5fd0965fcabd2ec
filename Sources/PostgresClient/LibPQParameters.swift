import CLibPQ

/// The keywords and values that open a connection: the operator's, and this client's defaults.
struct LibPQParameters {
    private(set) var values: [(keyword: String, value: String)]
    /// The statement that sets the session's time limits, the isolation of its transactions, and how it plans.
    ///
    /// It is a statement and not `options`, because PgBouncer refuses `options`, or drops them silently.
    ///
    /// The isolation is part of the record's rules: its functions wait for a lock and then read what its holder has
    /// committed. A database or role may have another default, under which they would miss it.
    ///
    /// Rows are found by indexes. The plan of a prepared statement is kept for as long as the session lasts, and on an
    /// empty table it would be to read all of it, which may hold millions of rows by the time of the next `ANALYZE`. What
    /// was planned while a vacuumed table was empty may still read an index of it from end to end until then.
    /// Where a table can only be read as a whole, PostgreSQL counts that as expensive enough to be compiled (`jit`), which
    /// it is not.
    let limits: String

    /// Reads the connection string and adds encoding and dead-peer detection.
    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        values = try Self.parse(configuration.conninfo)
        let silenceMax = configuration.silenceMax.milliseconds
        limits = """
            SELECT set_config('statement_timeout', '\(configuration.statementTimeout.milliseconds)', false),
                set_config('lock_timeout', '\(configuration.lockTimeout.milliseconds)', false),
                set_config('idle_in_transaction_session_timeout', '\(silenceMax)', false),
                set_config('default_transaction_isolation', 'read committed', false),
                set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)
            """
        try refuseCutPassword(of: configuration.conninfo)
        set("client_encoding", "UTF8")
        setDefault("application_name", configuration.applicationName)
        // A peer that vanishes is noticed after 30 s of silence, or when sent data stay unacknowledged.
        setDefault("keepalives_idle", "15")
        setDefault("keepalives_interval", "5")
        setDefault("keepalives_count", "3")
        setDefault("tcp_user_timeout", "\(silenceMax)")
    }

    /// Refuses a host, port or database that is probably the rest of a password.
    ///
    /// In a URI a password ends at the first `@`, or at a `/` before it. libpq and the server quote names that they do
    /// not find.
    private func refuseCutPassword(of conninfo: String) throws(PostgresError) {
        // A folder may contain `@` anywhere, and an abstract socket (`@name`) begins with it.
        let isHost = elements(of: "host").allSatisfy { $0.hasPrefix("/") || !$0.dropFirst().contains("@") }
        let isPort = elements(of: "port").allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x20 } }
        let isURI = ["postgresql://", "postgres://"].contains(where: conninfo.hasPrefix)
        // An operator who has written %40 knows the rule, and means the database.
        let isDatabase = !isURI || conninfo.contains("%40") || !(value(of: "dbname") ?? "").contains("@")
        guard isHost, isPort, isDatabase else {
            throw PostgresError(
                .configuration,
                "the connection string's host, port or database is not valid: in a password, write @ as %40, / as %2F")
        }
    }

    /// The elements of a list, one for each host.
    private func elements(of keyword: String) -> [Substring] {
        (value(of: keyword) ?? "").split(separator: ",", omittingEmptySubsequences: false)
    }

    func value(of keyword: String) -> String? {
        values.first { $0.keyword == keyword }?.value
    }

    mutating func set(_ keyword: String, _ value: String) {
        values.removeAll { $0.keyword == keyword }
        values.append((keyword, value))
    }

    mutating func setDefault(_ keyword: String, _ value: String) {
        if self.value(of: keyword) == nil { set(keyword, value) }
    }

    /// libpq's own reading of a connection string.
    ///
    /// libpq's error message may quote a password, so it is dropped.
    private static func parse(_ conninfo: String) throws(PostgresError) -> [(keyword: String, value: String)] {
        guard let options = unsafe PQconninfoParse(conninfo, nil) else {
            throw PostgresError(.configuration, "the connection string is malformed")
        }
        defer { unsafe PQconninfoFree(options) }
        return unsafe read(options)
    }

    /// The libpq options that have a value.
    static func read(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [(keyword: String, value: String)] {
        var found: [(keyword: String, value: String)] = []
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe found.append((String(cString: keyword), String(cString: value)))
            }
            unsafe option += 1
        }
        return found
    }
}

extension Duration {
    /// Whole milliseconds, from 1 to 32 bits: to PostgreSQL 0 means "no limit".
    var milliseconds: Int32 { Int32(clamping: max(1, attoseconds / 1_000_000_000_000_000)) }
}
