import CLibPQ

extension LibPQParameters {
    /// What a session with one of its servers is opened with.
    ///
    /// Of several only one that writes is connected to, unless the operator says otherwise: a standby lacks what was just
    /// written, and would be returned to whenever a write has failed there.
    /// - Parameters:
    ///   - told: What ``completed()`` tells.
    ///   - isOneOfSeveral: Whether there are other hosts, or other addresses of this one.
    func at(_ host: PostgresHost, told: [String: String], isOneOfSeveral: Bool) -> LibPQParameters {
        var own = self
        own.set("host", host.name)
        own.set("hostaddr", host.address)
        own.set("port", host.port)
        // libpq's default is `any`; what its environment or a service file says is the operator's as well.
        let isTold = (told["target_session_attrs"] ?? "any") != "any"
        if isOneOfSeveral && !isTold { own.setDefault("target_session_attrs", "read-write") }
        return own
    }

    /// What libpq makes of these keywords with its service file and the environment.
    ///
    /// It tells that of a connection alone. One with an `sslmode` that is none it refuses before it looks up any name.
    func completed() -> [String: String] {
        var asked = self
        asked.set("sslmode", "none")
        // With one it reads no password file.
        asked.set("password", "none")
        let keywords = CStringArray(asked.values.map(\.keyword))
        let values = CStringArray(asked.values.map(\.value))
        let started = unsafe keywords.withPointers { keywords in
            unsafe values.withPointers { values in unsafe PQconnectStartParams(keywords, values, 0) }
        }
        guard let refused = unsafe started else { return [:] }
        defer { unsafe PQfinish(refused) }
        guard let options = unsafe PQconninfo(refused) else { return [:] }
        defer { unsafe PQconninfoFree(options) }
        let all = unsafe Self.read(options)
        return Dictionary(all.map { ($0.keyword, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
