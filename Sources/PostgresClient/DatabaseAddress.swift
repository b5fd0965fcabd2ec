import PercentEncoding

/// The name and hosts of a database as given by libpq's connection string, without its secrets.
///
/// ```swift
/// let address = DatabaseAddress(conninfo: "postgresql://app:secret@db.internal:5433/capture")
/// print(address)    // database capture at db.internal:5433
/// ```
package struct DatabaseAddress: Sendable, Equatable, CustomStringConvertible {
    /// The database's name; `nil` when none is given.
    package let database: String?
    /// The hosts, each with its port if one is given, or a socket's directory; empty for libpq's own default.
    package let hosts: [String]
    /// The hosts that are reached over TCP, without ports.
    package let networkHosts: [String]
    /// The `sslmode` that libpq uses for these hosts.
    package let sslMode: String

    /// Reads `host=… dbname=…` or `postgresql://…`.
    /// - Parameter environment: `PGHOST`, `PGPORT`, `PGDATABASE` and the like, with the same effect as for libpq.
    package init(conninfo: String, environment: [String: String] = [:]) {
        let told = Self.isURI(conninfo) ? Self.readURI(conninfo) : Self.readKeywords(conninfo)
        func value(_ keyword: String, _ variable: String) -> String? {
            [told[keyword], environment[variable]].compactMap { $0 }.first { !$0.isEmpty }
        }
        let name = value("dbname", "PGDATABASE") ?? value("user", "PGUSER")
        // libpq accepts a whole connection string as a name, which may hold a password.
        database = name.flatMap { $0.contains("=") || $0.contains("://") ? nil : $0 }
        if let list = value("host", "PGHOST") ?? value("hostaddr", "PGHOSTADDR") {
            hosts = Self.names(Self.items(list), ports: Self.items(value("port", "PGPORT") ?? ""))
        } else {
            hosts = value("service", "PGSERVICE").map { ["the service \($0)"] } ?? []
        }
        let reached = value("hostaddr", "PGHOSTADDR") ?? value("host", "PGHOST") ?? ""
        networkHosts = Self.items(reached).filter { host in !host.isEmpty && host.first != "/" && host.first != "@" }
        let isBySystem = value("sslrootcert", "PGSSLROOTCERT") == "system"
        let mode = value("sslmode", "PGSSLMODE").flatMap { Self.sslModes.contains($0) ? $0 : nil }
        sslMode = mode ?? (isBySystem ? "verify-full" : "prefer")
    }

    /// The valid modes (libpq manual, "SSL Mode Descriptions"); libpq refuses any other.
    private static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

    /// Name and hosts, for people.
    package var description: String {
        (database.map { "database \($0)" } ?? "the database") + " at "
            + (hosts.isEmpty ? "the local socket" : hosts.joined(separator: ", "))
    }

    private static func items(_ list: String) -> [String] {
        list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// The hosts with their ports: one port for all of them, or one for each.
    ///
    /// Text that is no number is no port: it may be the rest of a password whose host was cut off.
    private static func names(_ hosts: [String], ports: [String]) -> [String] {
        hosts.enumerated().map { index, host in
            let own = ports.count == 1 ? 0 : index
            let name = host.isEmpty ? "the local socket" : host
            guard own < ports.count, Int(ports[own]) != nil else { return name }
            return name.contains(":") ? "[\(name)]:\(ports[own])" : "\(name):\(ports[own])"
        }
    }

    // MARK: Keywords and values (libpq manual, "Keyword/Value Connection Strings")

    private static func readKeywords(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        var rest = text[...]
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard let sign = rest.firstIndex(of: "=") else { return values }
            let keyword = String(rest[..<sign].prefix { !$0.isWhitespace })
            rest = rest[rest.index(after: sign)...].drop(while: \.isWhitespace)
            values[keyword] = takeValue(&rest)
        }
    }

    /// Takes a value, in single quotes or up to the next space; a character after a backslash is taken literally.
    private static func takeValue(_ rest: inout Substring) -> String {
        let isQuoted = rest.first == "'"
        if isQuoted { rest.removeFirst() }
        var value = ""
        while let character = rest.popFirst() {
            let isEnd = isQuoted ? character == "'" : character.isWhitespace
            if isEnd { break }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            if let next = rest.popFirst() { value.append(next) }
        }
        return value
    }

    // MARK: URIs (libpq manual, "Connection URIs")

    private static func isURI(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    private static func readURI(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        var rest = text.drop { $0 != "/" }.dropFirst(2)
        // This is libpq's own search: a password may contain any other character.
        if let stop = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[stop] == "@" {
            values["user"] = decode(rest[..<stop].prefix { $0 != ":" })
            rest = rest[rest.index(after: stop)...]
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // The rest of a password that should have been encoded is no host, and must not be shown.
        let query = parts.count > 1 ? parts[1] : ""
        guard !parts[0].contains("@"), !query.prefix(while: { $0 != "=" }).contains("@") else { return [:] }
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        values["dbname"] = path.count > 1 ? decode(path[1]) : ""
        let hosts = path[0].split(separator: ",", omittingEmptySubsequences: false).map(splitHost)
        values["host"] = hosts.map { decode($0.host) }.joined(separator: ",")
        values["port"] = hosts.map { String($0.port) }.joined(separator: ",")
        for item in query.split(separator: "&") {
            guard let sign = item.firstIndex(of: "=") else { continue }
            values[decode(item[..<sign])] = decode(item[item.index(after: sign)...])
        }
        // A list of empty hosts counts as none.
        return values.filter { item in !item.value.allSatisfy { $0 == "," } }
    }

    private static func splitHost(_ text: Substring) -> (host: Substring, port: Substring) {
        if text.first == "[", let end = text.firstIndex(of: "]") {
            return (text[..<end].dropFirst(), text[end...].dropFirst().drop { $0 == ":" })
        }
        guard let colon = text.firstIndex(of: ":") else { return (text, "") }
        return (text[..<colon], text[text.index(after: colon)...])
    }

    private static func decode(_ text: Substring) -> String {
        String(decoding: PercentEncoding.decode(text.utf8).bytes, as: UTF8.self)
    }
}
