import PercentEncoding

extension RedisConfiguration {
    /// Reads the address, log-in and database from a URL.
    ///
    /// - `redis://[user][:password]@host[:port][/database]`, port 6379 by default
    /// - `rediss://…` the same over TLS, with the host name verified
    /// - `unix:///path/to.sock[?db=1&user=name&password=secret]`
    ///
    /// User, password and path are percent-decoded. IPv6 addresses stand in brackets. `db`, `user` and `password`
    /// may be given as query items; anything else there is an error rather than ignored.
    ///
    /// - Throws: ``RedisError`` with code `configuration`; the text never contains the URL.
    package init(url: String) throws(RedisError) {
        guard let separator = url.firstRange(of: "://") else { throw Self.invalid("it has no scheme") }
        let scheme = url[..<separator.lowerBound].lowercased()
        var rest = url[separator.upperBound...]
        let query = Self.cut(&rest, after: "?")
        switch scheme {
        case "unix", "redis+unix":
            guard rest.first == "/", rest.count > 1 else {
                throw Self.invalid("a unix socket needs an absolute path (and ?user=…&password=… behind it)")
            }
            self.init(address: .unixSocket(path: try Self.decode(rest)))
        case "redis", "rediss":
            let path = Self.cut(&rest, after: "/")
            guard !Self.hasPassword(path, query) else {
                throw Self.invalid("in a password, write / as %2F, ? as %3F")
            }
            let user = rest.lastIndex(of: "@").map { at in
                let user = rest[..<at]
                rest = rest[rest.index(after: at)...]
                return user
            }
            self.init(address: try Self.address(rest))
            tls = scheme == "rediss" ? RedisTLS() : nil
            if let user { try readUser(user) }
            if let path, !path.isEmpty { database = try Self.databaseNumber(path) }
        default:
            throw Self.invalid("its scheme is not redis, rediss or unix")
        }
        if let query { try readQuery(query) }
        try validate()
    }

    private mutating func readUser(_ text: Substring) throws(RedisError) {
        var name = text
        let secret = Self.cut(&name, after: ":")
        username = name.isEmpty ? nil : try Self.decode(name)
        if let secret { password = try Self.decode(secret) }
    }

    private mutating func readQuery(_ query: Substring) throws(RedisError) {
        for item in query.split(separator: "&") {
            var name = item
            let value = Self.cut(&name, after: "=") ?? ""
            switch name {
            case "db": database = try Self.databaseNumber(value)
            case "user": username = try Self.decode(value)
            case "password": password = try Self.decode(value)
            default: throw Self.invalid("it has an unknown query item")
            }
        }
    }

    private static func address(_ text: Substring) throws(RedisError) -> Address {
        var host = text
        var port: Substring?
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { throw invalid("its IPv6 address has no end") }
            let tail = host[host.index(after: end)...]
            guard tail.isEmpty || tail.first == ":" else { throw invalid("its IPv6 address is followed by more") }
            port = tail.isEmpty ? nil : tail.dropFirst()
            host = host[host.index(after: host.startIndex)..<end]
        } else {
            port = cut(&host, after: ":")
        }
        guard !host.isEmpty else { throw invalid("it has no host") }
        guard let port else { return .tcp(host: String(host), port: 6_379) }
        guard let number = UInt16(port), number > 0 else { throw invalid("its port is not 1 to 65535") }
        return .tcp(host: String(host), port: Int(number))
    }

    /// Whether the part of a password is there that stands behind a `/` or `?` in it: an `@` ends it.
    ///
    /// Neither a database nor another item than the known ones has an `@`.
    private static func hasPassword(_ path: Substring?, _ query: Substring?) -> Bool {
        if path?.contains("@") == true { return true }
        let items = query?.split(separator: "&") ?? []
        return items.contains { item in
            item.contains("@") && !["db=", "user=", "password="].contains { item.hasPrefix($0) }
        }
    }

    private static func databaseNumber(_ text: Substring) throws(RedisError) -> Int {
        guard let number = UInt16(text) else { throw invalid("its database is not a number") }
        return Int(number)
    }

    /// Cuts at the first mark: what comes before stays, what comes after is handed out.
    private static func cut(_ text: inout Substring, after mark: Character) -> Substring? {
        guard let index = text.firstIndex(of: mark) else { return nil }
        let tail = text[text.index(after: index)...]
        text = text[..<index]
        return tail
    }

    /// Percent-decodes; the result must be UTF-8 without a zero byte.
    private static func decode(_ text: Substring) throws(RedisError) -> String {
        let (bytes, isWhole) = PercentEncoding.decode(text.utf8)
        guard isWhole else { throw invalid("a % in it is not followed by two hexadecimal digits") }
        guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw invalid("it is not UTF-8 once decoded")
        }
        return decoded
    }

    private static func invalid(_ reason: String) -> RedisError {
        RedisError(.configuration, "the Redis URL cannot be used: \(reason)")
    }
}
