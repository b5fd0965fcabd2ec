/// One of the servers in libpq's parameters.
struct PostgresHost: Equatable {
    /// Its name in messages, TLS and the password file, or the folder of its socket; empty if only an address is given.
    var name: String
    /// Its address; empty for a socket, and if the name is to be looked up.
    var address: String
    /// Its port; empty for libpq's own.
    var port: String

    /// Whether its address is to be looked up.
    ///
    /// A socket's folder begins with a slash, and an abstract socket with `@`.
    var isToLookUp: Bool {
        address.isEmpty && !name.isEmpty && !["/", "@"].contains(where: name.hasPrefix)
    }

    /// The servers of libpq's lists, which have one element per server.
    ///
    /// - Parameter told: libpq's keywords, completed from the environment and a service file.
    /// - Returns: `nil` when no server is given, or the lists do not match: libpq then uses its default, or reports why
    ///   not.
    static func all(in told: [String: String]) -> [PostgresHost]? {
        let (names, addresses, ports) = (items(told["host"]), items(told["hostaddr"]), items(told["port"]))
        let count = max(names.count, addresses.count)
        guard count > 0, [0, count].contains(names.count), [0, count].contains(addresses.count),
            [0, 1, count].contains(ports.count)
        else { return nil }
        return (0..<count).map { index in
            PostgresHost(
                name: names.isEmpty ? "" : names[index], address: addresses.isEmpty ? "" : addresses[index],
                port: ports.isEmpty ? "" : ports[ports.count == 1 ? 0 : index])
        }
    }

    private static func items(_ list: String?) -> [String] {
        guard let list, !list.isEmpty else { return [] }
        return list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
