/// One of the servers that libpq is told of.
struct PostgresHost: Equatable {
    /// What messages, TLS and the password file call it, or the folder with its socket; empty where only an address is
    /// told.
    var name: String
    /// Its address; empty where it is to be found, and of a socket.
    var address: String
    /// Its port; empty for libpq's own.
    var port: String

    /// Whether its address is to be found.
    ///
    /// A socket's folder begins with a stroke, and a socket that is no file with `@`.
    var isToLookUp: Bool {
        address.isEmpty && !name.isEmpty && !["/", "@"].contains(where: name.hasPrefix)
    }

    /// The servers of libpq's lists, which have one element for each.
    ///
    /// - Parameter told: libpq's keywords, with what the environment and a service file add.
    /// - Returns: `nil` where no server is told, or the lists do not fit: libpq takes its own, or says why not.
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
