import FoundationEssentials

/// The name and hosts of the database that libpq connects to, without its secrets.
///
/// libpq itself tells them: from the connection string, then from a service file, then from the environment.
///
/// ```swift
/// let address = DatabaseAddress(conninfo: "postgresql://app:secret@db.internal:5433/capture")
/// print(address)    // database capture at db.internal:5433
/// ```
package struct DatabaseAddress: Sendable, Equatable, CustomStringConvertible {
    /// The database's name; `nil` when it cannot be told.
    package let database: String?
    /// The hosts or directories of sockets, each with its port; where there are none, in words why.
    package let hosts: [String]
    /// The hosts that are reached over TCP, without ports.
    package let networkHosts: [String]
    /// The `sslmode` that libpq uses for these hosts.
    package let sslMode: String
    /// The files of certificates that libpq is told to use with these hosts, by their keyword: `sslrootcert`, `sslcert`.
    package let certificateFiles: [String: String]

    /// Asks libpq what it makes of `host=… dbname=…` or `postgresql://…`; no server is reached.
    package init(conninfo: String) {
        let parameters: LibPQParameters
        do throws(PostgresError) {
            parameters = try LibPQParameters(PostgresConfiguration(conninfo: conninfo))
        } catch {
            // Any part of it may be the rest of a password.
            self.init([:], place: "an address that is malformed")
            return
        }
        self.init(parameters)
    }

    private init(_ parameters: LibPQParameters) {
        let told = parameters.completed()
        guard told.isEmpty else {
            self.init(told)
            return
        }
        // libpq connects to nothing if it finds no such service, whatever else the connection string says.
        let service = parameters.value(of: "service") ?? ProcessInfo.processInfo.environment["PGSERVICE"]
        self.init([:], place: service.map { "the service \($0), which cannot be read" } ?? "an unknown address")
    }

    /// - Parameters:
    ///   - told: libpq's keywords, completed from a service file and the environment.
    ///   - place: What to say in place of the hosts.
    private init(_ told: [String: String], place: String? = nil) {
        // A whole connection string that stands where a name should may hold a password.
        database = told["dbname"].flatMap { $0.isEmpty || $0.contains("=") || $0.contains("://") ? nil : $0 }
        let servers = PostgresHost.all(in: told)
        let local = PostgresHost(name: told["host"] ?? "", address: told["hostaddr"] ?? "", port: told["port"] ?? "")
        hosts = place.map { [$0] } ?? (servers ?? [local]).map(Self.name)
        let reached = (servers ?? []).map { $0.address.isEmpty ? $0.name : $0.address }
        networkHosts = reached.filter { host in !host.isEmpty && host.first != "/" && host.first != "@" }
        sslMode = told["sslmode"].flatMap { Self.sslModes.contains($0) ? $0 : nil } ?? "prefer"
        let hasTLS = !networkHosts.isEmpty && sslMode != "disable"
        certificateFiles = told.filter { hasTLS && ["sslrootcert", "sslcert"].contains($0.key) && !$0.value.isEmpty }
    }

    /// The valid modes (libpq manual, "SSL Mode Descriptions"); libpq refuses any other.
    private static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

    /// Name and hosts, for people.
    package var description: String {
        (database.map { "database \($0)" } ?? "the database") + " at " + hosts.joined(separator: ", ")
    }

    private static func name(_ host: PostgresHost) -> String {
        let given = host.name.isEmpty ? host.address : host.name
        let name = given.isEmpty ? "the local socket" : given
        guard !host.port.isEmpty else { return name }
        return name.contains(":") ? "[\(name)]:\(host.port)" : "\(name):\(host.port)"
    }
}
