import CLibPQ

extension LibPQParameters {
    /// The parameters for a session with one of the servers.
    ///
    /// Of several servers the session takes only one that writes, unless the operator says otherwise: a standby lacks
    /// the latest writes, and would be chosen again whenever a write has failed on it.
    /// - Parameters:
    ///   - told: The answer of ``completed()``.
    ///   - isOneOfSeveral: Whether there are other hosts, or other addresses of this one.
    func at(_ host: PostgresHost, told: [String: String], isOneOfSeveral: Bool) -> LibPQParameters {
        var own = self
        own.set("host", host.name)
        own.set("hostaddr", host.address)
        own.set("port", host.port)
        // libpq's default is `any`; a value from its environment or a service file is the operator's as well.
        let isTold = (told["target_session_attrs"] ?? "any") != "any"
        if isOneOfSeveral && !isTold { own.setDefault("target_session_attrs", "read-write") }
        return own
    }

    /// The keywords as libpq completes them from its service file and the environment.
    ///
    /// libpq shows them only for a connection. This one has an invalid `channel_binding`, so libpq refuses before any
    /// look-up.
    /// - Returns: Nothing if a service is named that libpq finds in no file.
    func completed() -> [String: String] {
        var asked = self
        asked.set("channel_binding", "none")
        // With a password given, libpq reads no password file.
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
